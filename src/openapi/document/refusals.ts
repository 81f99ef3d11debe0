import type { Problem, ProblemCode } from '@evenkeel/sdk/contract';
import { PROBLEM_KINDS } from '../../platform/errors.js';
import { QUOTA_EXCEEDED } from '../../platform/http/rate-limit-headers.js';

/** What every signed request may be refused with. */
const ALWAYS: ProblemCode[] = [
  'invalid_request_target',
  'duplicate_parameter',
  'validation_failed',
  'content_digest_mismatch',
  'auth_missing',
  'auth_malformed',
  'timestamp_out_of_range',
  'auth_failed',
  'nonce_reused',
  'key_disabled',
  'key_expired',
  'ip_not_allowed',
  'insufficient_scope',
  'uri_too_long',
  'unsupported_content_encoding',
  'rate_limited',
  'auth_throttled',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];
const WITH_BODY: ProblemCode[] = [
  'request_timeout',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'replay_protection_unavailable',
];
const WITHOUT_BODY: ProblemCode[] = ['body_not_allowed'];

/** What each operation may be refused with besides. */
const OWN: Record<string, ProblemCode[]> = {
  submitTask: [
    'state_conflict',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'backlog_full',
    'concurrency_limited',
    'callback_url_not_allowed',
    'callbacks_full',
  ],
  submitBatch: ['batch_too_large'],
  runTask: [
    'use_async',
    'state_conflict',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'backlog_full',
    'concurrency_limited',
    'callback_url_not_allowed',
    'callbacks_full',
  ],
  listTasks: [],
  getTask: ['task_not_found'],
  getTaskLogs: ['task_not_found'],
  cancelTask: ['task_not_found', 'task_already_terminal'],
  retryTask: ['task_not_found', 'task_not_retryable', 'state_conflict', 'backlog_full', 'concurrency_limited', 'callbacks_full'],
  sendEvent: ['idempotency_in_progress', 'idempotency_key_reused', 'backlog_full', 'concurrency_limited'],
  createJob: [
    'state_conflict',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'callback_url_not_allowed',
    'invalid_schedule',
    'unknown_timezone',
    'dependency_cycle',
  ],
  listJobs: [],
  getJob: ['not_found'],
  changeJob: [
    'not_found',
    'version_conflict',
    'callback_url_not_allowed',
    'invalid_schedule',
    'unknown_timezone',
    'dependency_cycle',
  ],
  deleteJob: ['not_found', 'job_has_dependants', 'replay_protection_unavailable'],
  pauseJob: ['not_found'],
  resumeJob: ['not_found'],
  triggerJob: ['not_found', 'state_conflict', 'idempotency_key_reused', 'backlog_full', 'concurrency_limited', 'callbacks_full'],
  nextFires: ['not_found'],
  listJobVersions: ['not_found'],
  restoreJob: ['not_found', 'version_conflict', 'callback_url_not_allowed', 'dependency_cycle'],
  backfillJob: ['not_found', 'idempotency_key_reused'],
  listBackfills: ['not_found'],
  createWebhookEndpoint: ['callback_url_not_allowed'],
  listWebhookEndpoints: [],
  getWebhookEndpoint: ['not_found'],
  changeWebhookEndpoint: ['not_found'],
  deleteWebhookEndpoint: ['not_found', 'replay_protection_unavailable'],
  enableWebhookEndpoint: ['not_found'],
  disableWebhookEndpoint: ['not_found'],
  rotateWebhookSecret: ['not_found'],
  testWebhookEndpoint: ['not_found', 'state_conflict'],
  recoverWebhookDeliveries: ['not_found', 'state_conflict'],
  listWebhookDeliveries: [],
  getWebhookDelivery: ['not_found'],
  redeliverWebhook: ['not_found', 'state_conflict'],
  whoAmI: [],
};

/** The codes of an operation by HTTP status. */
export function refusalsOf(operationId: string, method: string): Map<number, ProblemCode[]> {
  const codes = [...ALWAYS, ...(method === 'post' || method === 'put' ? WITH_BODY : WITHOUT_BODY), ...(OWN[operationId] ?? [])];
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEM_KINDS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

export function exampleProblem(code: ProblemCode): Problem {
  const { status, title, retryable } = PROBLEM_KINDS[code];
  const requestId = 'req_01JGEXAMP1E000000000000000';
  const errors = [{ pointer: '/delayMs', code: 'wrong_type' as const, message: 'must be a number, not a string' }];
  return {
    type: code === 'rate_limited' ? QUOTA_EXCEEDED : `/openapi/problems/${code}`,
    title,
    status,
    detail: code === 'validation_failed' ? '/delayMs must be a number, not a string' : title.toLowerCase(),
    instance: `/requests/${requestId}`,
    code,
    requestId,
    retryable,
    ...(code === 'validation_failed' ? { errors } : {}),
    ...(code === 'rate_limited' ? { 'violated-policies': ['app'] } : {}),
  };
}
