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

/** One field that broke one rule. `pointer` is RFC 6901 into the request body (or `/query/<name>`). */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
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
  [extension: string]: unknown;
}
