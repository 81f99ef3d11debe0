import type { FieldError, ProblemCode } from '@evenkeel/sdk/contract';
import { type ProblemReason, type ReasonParams, reasonText } from './problem-reasons.js';

interface ProblemKind {
  status: number;
  title: string;
  /** The same request may succeed later without a change. */
  retryable: boolean;
}

/** Status, title and retry advice of every problem code. Nobody recognises an error by its text. */
export const PROBLEM_KINDS: Record<ProblemCode, ProblemKind> = {
  invalid_request_target: { status: 400, title: 'The request target is malformed', retryable: false },
  duplicate_parameter: { status: 400, title: 'A query parameter is repeated', retryable: false },
  body_not_allowed: { status: 400, title: 'This method takes no body', retryable: false },
  content_digest_mismatch: { status: 400, title: 'The body is not the one that was digested', retryable: true },
  invalid_json: { status: 400, title: 'The body is not a JSON object', retryable: false },
  validation_failed: { status: 400, title: 'A field breaks a rule', retryable: false },
  batch_too_large: { status: 400, title: 'The batch can never be accepted at this size', retryable: false },
  use_async: { status: 400, title: 'The work takes too long to wait for', retryable: false },
  auth_missing: { status: 401, title: 'A signature header is missing', retryable: false },
  auth_malformed: { status: 401, title: 'A signature header is malformed', retryable: false },
  timestamp_out_of_range: { status: 401, title: 'The timestamp is too far from the server clock', retryable: true },
  auth_failed: { status: 401, title: 'The signature does not match', retryable: false },
  nonce_reused: { status: 401, title: 'The nonce was used before', retryable: true },
  key_disabled: { status: 403, title: 'The access key is disabled', retryable: false },
  key_expired: { status: 403, title: 'The access key has expired', retryable: false },
  ip_not_allowed: { status: 403, title: 'The access key may not be used from this address', retryable: false },
  insufficient_scope: { status: 403, title: 'The access key may not do this', retryable: false },
  permission_denied: { status: 403, title: 'The role does not allow this', retryable: false },
  cross_site_request: { status: 403, title: 'The request came from another site', retryable: false },
  not_found: { status: 404, title: 'There is nothing here', retryable: false },
  task_not_found: { status: 404, title: 'There is no such task', retryable: false },
  method_not_allowed: { status: 405, title: 'The method is not allowed here', retryable: false },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  task_already_terminal: { status: 409, title: 'The task has already ended', retryable: false },
  task_not_retryable: { status: 409, title: 'The task is in a state that is not retried', retryable: false },
  idempotency_in_progress: { status: 409, title: 'The same request is still being written', retryable: true },
  version_conflict: { status: 409, title: 'It was changed since it was read', retryable: false },
  job_has_dependants: { status: 409, title: 'Other jobs wait for this one', retryable: false },
  state_conflict: { status: 409, title: 'Its state does not allow this', retryable: false },
  worker_id_in_use: { status: 409, title: 'Another live process uses this worker id', retryable: false },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  uri_too_long: { status: 414, title: 'The query is too long', retryable: false },
  unsupported_media_type: { status: 415, title: 'The body must be application/json', retryable: false },
  unsupported_content_encoding: { status: 415, title: 'The body must not be encoded', retryable: false },
  idempotency_key_reused: { status: 422, title: 'The clientRequestId was used with other parameters', retryable: false },
  invalid_schedule: { status: 422, title: 'The schedule can not be used', retryable: false },
  unknown_timezone: { status: 422, title: 'There is no such time zone', retryable: false },
  dependency_cycle: { status: 422, title: 'The dependencies form a circle', retryable: false },
  callback_url_not_allowed: { status: 422, title: 'The callback URL is not allowed', retryable: false },
  rate_limited: { status: 429, title: 'The rate limit is reached', retryable: true },
  concurrency_limited: { status: 429, title: 'Too many unfinished tasks', retryable: true },
  auth_throttled: { status: 429, title: 'Too many failed authentications', retryable: true },
  callbacks_full: { status: 429, title: 'Too many callbacks wait to be sent', retryable: true },
  backlog_full: { status: 429, title: 'The group holds as many tasks as it may', retryable: true },
  headers_too_large: { status: 431, title: 'The headers are too large', retryable: false },
  internal_error: { status: 500, title: 'Something went wrong on our side', retryable: true },
  service_unavailable: { status: 503, title: 'The service is unavailable', retryable: true },
  replay_protection_unavailable: { status: 503, title: 'Replay protection is unavailable', retryable: true },
};

/** Titles of refusals that are about a session for who signs in by the console, and about a signature for everybody else. */
export const SESSION_TITLES: Partial<Record<ProblemCode, string>> = {
  auth_missing: 'Nobody is signed in',
  auth_failed: 'The sign-in was refused',
  auth_throttled: 'Too many attempts to sign in',
};

export interface ProblemExtras {
  errors?: FieldError[];
  /** Seconds, for the Retry-After header. */
  retryAfter?: number;
  /** Extension members of the problem document: existingTaskId, currentStatus, serverTime, maxBytes … */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** A refusal the caller is told about. `detail` names the field and the rule; never a secret, SQL or a stack. */
export class AppError extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
    this.name = 'AppError';
  }

  /** A refusal of a reason that has a name, for whoever tells it in words of their own. */
  static because(code: ProblemCode, reason: ProblemReason, params: ReasonParams = {}, extras: ProblemExtras = {}): AppError {
    return new AppError(code, reasonText(reason, params), { ...extras, members: { ...extras.members, reason, params } });
  }

  /** One or more fields broke a rule. */
  static fields(errors: FieldError[]): AppError {
    const first = errors[0];
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return new AppError('validation_failed', `${first?.pointer ?? ''} ${first?.message ?? ''}${more}`.trim(), { errors });
  }
}
