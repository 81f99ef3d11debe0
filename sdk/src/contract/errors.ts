/** Every `code` a problem+json answer may carry. The catalogue (title, status, retryable) is the server's `platform/errors`. */
export const PROBLEM_CODES = [
  'invalid_request_target',
  'duplicate_parameter',
  'body_not_allowed',
  'content_digest_mismatch',
  'invalid_json',
  'validation_failed',
  'batch_too_large',
  'use_async',
  'auth_missing',
  'auth_malformed',
  'timestamp_out_of_range',
  'auth_failed',
  'nonce_reused',
  'key_disabled',
  'key_expired',
  'ip_not_allowed',
  'insufficient_scope',
  'permission_denied',
  'cross_site_request',
  'not_found',
  'task_not_found',
  'method_not_allowed',
  'task_already_terminal',
  'task_not_retryable',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'version_conflict',
  'job_has_dependants',
  'state_conflict',
  'invalid_schedule',
  'unknown_timezone',
  'dependency_cycle',
  'callback_url_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'headers_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'rate_limited',
  'concurrency_limited',
  'auth_throttled',
  'backlog_full',
  'callbacks_full',
  'worker_id_in_use',
  'internal_error',
  'service_unavailable',
  'replay_protection_unavailable',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Every `code` of a single field: what kind of rule it broke. The `message` states the rule itself. */
export const FIELD_ERROR_CODES = [
  'required',
  'unknown_field',
  'wrong_type',
  'out_of_range',
  'bad_format',
  'too_long',
  'too_many',
  'too_large',
  'excluded',
  'not_allowed',
  'not_unique',
  'not_found',
  'repeated',
  'archived',
  'unknown_timezone',
  'never_fires',
  'no_worker',
  'unknown_job',
  'unknown_task',
  'dependency_cycle',
  // Of the bodies that workers and the centre exchange.
  'type',
  'pattern',
  'characters',
  'unknown_value',
  'too_short',
  'too_small',
  'too_few',
  'duplicate',
  'url',
  'address',
  'forbidden',
  'invalid',
  // Of a callback URL.
  'invalid_url',
  'scheme_not_allowed',
  'userinfo_not_allowed',
  'fragment_not_allowed',
  'ip_literal_not_allowed',
  'host_not_canonical',
  'host_not_allowed',
  'port_not_allowed',
  'host_not_verified',
] as const;
export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** One field that broke one rule. `pointer` is RFC 6901 into the request body (or `/query/<name>`). */
export interface FieldError {
  pointer: string;
  code: FieldErrorCode;
  message: string;
  /** The rule by name, for whoever tells it in words of their own: finer than `code`; more may be added. */
  rule?: string;
  /** The values the message tells, by name. */
  params?: Record<string, string | number>;
}

/** RFC 9457 answer of every failed request. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ProblemCode;
  requestId: string;
  retryable: boolean;
  errors?: FieldError[];
  /** Where the code has several reasons: which one, by name; more may be added. */
  reason?: string;
  /** The values the detail tells, by name. */
  params?: Record<string, string | number>;
  [extension: string]: unknown;
}
