import type { ProblemCode } from '@evenkeel/sdk/contract';
import { PROBLEM_KINDS } from '../../platform/errors.js';

interface Advice {
  cause: string;
  fix: string;
}

/** What people need to know of each problem, at the address its `type` names. */
const GUIDE: Record<ProblemCode, Advice> = {
  invalid_request_target: {
    cause:
      'The path holds something else than letters, digits and . _ ~ - between single slashes, or the query is not decodable.',
    fix: 'Build the path from our ids as they are; percent-encode names and values of the query as UTF-8.',
  },
  duplicate_parameter: { cause: 'A query parameter that may be given once was given twice.', fix: 'Give it once.' },
  body_not_allowed: { cause: 'GET, HEAD and DELETE take no body.', fix: 'Leave the body out.' },
  content_digest_mismatch: {
    cause: 'Content-Digest was sent, and other bytes than it describes arrived: something on the way changed the body.',
    fix: 'Find the proxy that rewrites JSON or strips bytes; sign again and repeat.',
  },
  invalid_json: {
    cause: 'The body is missing, no JSON object, not UTF-8, begins with a byte order mark, or is nested deeper than 32 levels.',
    fix: 'Send one JSON object in UTF-8.',
  },
  validation_failed: {
    cause: 'Fields break rules, or are not known.',
    fix: '`errors` names each field by its pointer, and the rule.',
  },
  batch_too_large: {
    cause: 'The batch has more than 500 items, or more than the app may ever create at once.',
    fix: 'Split it; `maxItems` says how.',
  },
  use_async: {
    cause: 'The work is declared to take three seconds or more, or its handler took so long of late.',
    fix: 'Submit it with POST /tasks and ask for its end with GET /tasks/{id}?wait=30.',
  },
  auth_missing: { cause: 'One of the four signature headers is missing.', fix: 'Send all four; `detail` names the missing.' },
  auth_malformed: {
    cause: 'A signature header has another form than documented or was sent twice, or a header is named like a secret.',
    fix: 'Seconds, not milliseconds; lower-case hex; each header once. The secret is never sent.',
  },
  timestamp_out_of_range: {
    cause: 'Your clock and ours differ by more than 300 seconds.',
    fix: '`serverTime` is our time: correct by the difference, sign again, repeat.',
  },
  auth_failed: {
    cause: 'The access key does not exist, or the signature is not the one these bytes have. We do not say which.',
    fix: 'Compare your canonical string with the one the debugger of this page makes of the same request.',
  },
  nonce_reused: {
    cause: 'The nonce was used before: the request arrived twice, perhaps resent by a library.',
    fix: 'Sign again with a fresh nonce and the same clientRequestId: nothing happens twice.',
  },
  key_disabled: { cause: 'The access key was disabled.', fix: 'Use the other key of the app, or ask your operator.' },
  key_expired: { cause: 'The access key has expired.', fix: 'Ask your operator for a new pair.' },
  ip_not_allowed: {
    cause: 'The access key is bound to other addresses.',
    fix: 'Ask your operator to allow the address you call from.',
  },
  insufficient_scope: {
    cause: 'The access key lacks the scope, or the app the group, that `detail` names.',
    fix: 'Ask your operator for it.',
  },
  not_found: { cause: 'There is nothing of this app at this address.', fix: 'Check the path and the id.' },
  task_not_found: { cause: 'This app has no task with that id.', fix: 'Check the id, and whose key you use.' },
  method_not_allowed: { cause: 'The address takes other methods.', fix: '`Allow` names them.' },
  request_timeout: {
    cause: 'The headers or the body were not here in full two minutes after the request began.',
    fix: 'Sign again with the same clientRequestId. Send the body at once; a batch may be split.',
  },
  task_already_terminal: { cause: 'The task has ended; `currentStatus` says how.', fix: 'Nothing is left to do.' },
  task_not_retryable: {
    cause: 'Only tasks that failed, timed out or were cancelled are tried again.',
    fix: 'Look at the task; submit a new one if that is what you want.',
  },
  idempotency_in_progress: {
    cause: 'Another request with the same clientRequestId is being written at this moment.',
    fix: 'Repeat after Retry-After, signed anew: you will get its receipt.',
  },
  version_conflict: { cause: 'It was changed since you read it.', fix: 'Read it again and apply your change to that version.' },
  state_conflict: {
    cause:
      'Its state does not allow this: an endpoint that is not proven, not enabled or deleted, say, a group that is archived, or a job that ' +
      'is created once more although it is deleted (`deletedJobId`).',
    fix: '`detail` says what would have to come first; read it again, somebody may have been faster.',
  },
  permission_denied: { cause: 'A person without that right asked (console only).', fix: 'Ask an administrator for the right.' },
  cross_site_request: { cause: 'Another site sent the request (console only).', fix: 'Send it from the console itself.' },
  job_has_dependants: {
    cause: 'Other jobs wait for it.',
    fix: 'Delete the jobs that `dependants` names first, or take it out of their `upstreams`.',
  },
  worker_id_in_use: { cause: 'Another live process uses this worker id.', fix: 'Give each worker process its own id.' },
  payload_too_large: {
    cause: 'The body is larger than `maxBytes`.',
    fix: 'Send less: keep large data elsewhere and pass a reference.',
  },
  uri_too_long: { cause: 'The query is longer than 4096 bytes.', fix: 'Ask for less at once.' },
  unsupported_media_type: {
    cause: 'The body is not declared as application/json in UTF-8.',
    fix: 'Content-Type: application/json',
  },
  unsupported_content_encoding: { cause: 'The body is compressed.', fix: 'Send it as it is, without Content-Encoding.' },
  idempotency_key_reused: {
    cause: 'The clientRequestId belongs to a request with other parameters.',
    fix: 'Use a new id for new work; `existingTaskId` or `existingJobId` names what has this one.',
  },
  invalid_schedule: { cause: 'The schedule breaks a rule or never fires.', fix: '`errors` names the part and the rule.' },
  unknown_timezone: { cause: 'There is no time zone of that name.', fix: 'Use an IANA name such as Europe/Berlin.' },
  dependency_cycle: { cause: 'The dependencies form a circle.', fix: 'Remove one of the dependencies that `errors` names.' },
  callback_url_not_allowed: {
    cause: 'Callbacks are not sent to this URL.',
    fix: 'Use https and a public host; `errors` names the rule.',
  },
  rate_limited: {
    cause: 'A limit is reached: `violated-policies`, or `detail`, says which.',
    fix: 'Wait for Retry-After. A refused request costs nothing. Put many tasks into one batch.',
  },
  concurrency_limited: { cause: 'The app has as many unfinished tasks as it may.', fix: 'Wait until some have ended.' },
  auth_throttled: {
    cause: 'Too many failed authentications for this access key from this address.',
    fix: 'Wait for Retry-After; check the secret.',
  },
  backlog_full: {
    cause: 'The group holds as many unfinished tasks as it may.',
    fix: 'Wait for Retry-After; ask your operator for more room.',
  },
  callbacks_full: {
    cause: 'As many callbacks of the app wait to be sent as may: its receiver takes them too slowly, or not at all.',
    fix: 'Repair the receiver and repeat after Retry-After, or submit without `callbackUrl` and ask for the end yourself.',
  },
  headers_too_large: {
    cause: 'The request line and headers are larger than 16 KiB.',
    fix: 'Send fewer headers: cookies have no use here.',
  },
  internal_error: {
    cause: 'A fault of ours.',
    fix: 'Repeat with the same clientRequestId, signed anew. Quote the requestId if it persists.',
  },
  service_unavailable: { cause: 'A store behind the service is away.', fix: 'Repeat after Retry-After, signed anew.' },
  replay_protection_unavailable: {
    cause: 'We cannot tell whether the request is a replay: what remembers nonces is away, or lost them after it was signed.',
    fix: 'Reads and creations with a clientRequestId pass; sign everything else again after Retry-After.',
  },
};

export interface ProblemEntry extends Advice {
  code: ProblemCode;
  status: number;
  title: string;
  retryable: boolean;
  session?: Advice;
}

/** Of codes that mean a session where people sign in: what their `type` with `#session` says. */
const AT_THE_CONSOLE: Partial<Record<ProblemCode, Advice>> = {
  auth_missing: { cause: 'The request carries no session, or one that has ended.', fix: 'Sign in to the console.' },
  auth_failed: {
    cause: 'The name and the password do not belong together, or the user is disabled. We do not say which.',
    fix: 'Try again, or ask an administrator for a new password.',
  },
  auth_throttled: { cause: 'Too many attempts to sign in came from this address.', fix: 'Wait for `Retry-After` seconds.' },
};

export const problemEntry = (code: ProblemCode): ProblemEntry => ({
  code,
  ...PROBLEM_KINDS[code],
  ...GUIDE[code],
  ...(AT_THE_CONSOLE[code] ? { session: AT_THE_CONSOLE[code] } : {}),
});

const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');

/** Links are relative: a proxy may stand in front under a prefix. */
export function problemPage({ code, status, title, retryable, cause, fix, session }: ProblemEntry): string {
  const atTheConsole = session
    ? `<h2 id="session">At the console</h2><p>${html(session.cause)}</p><p>${html(session.fix)}</p>`
    : '';
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${code}</title><link rel="stylesheet" href="../docs/page.css"></head><body><main class="prose">`,
    `<p><a href="../docs">Evenkeel partner API</a></p><h1>${html(title)}</h1><p><code>${code}</code>, HTTP ${status}</p>`,
    `<h2>Cause</h2><p>${html(cause)}</p><h2>What to do</h2><p>${html(fix)}</p>${atTheConsole}`,
    `<p>${retryable ? 'The same request may succeed later.' : 'Repeating the same request does not help.'}</p></main></body></html>\n`,
  ].join('\n');
}

/** One row per problem, for the page of all. */
export function problemRows(entries: readonly ProblemEntry[]): string {
  return entries
    .map(
      ({ code, status, cause, fix, retryable }) =>
        `<tr id="problem-${code}"><td>${status}</td><td><a href="problems/${code}"><code>${code}</code></a></td><td>${html(cause)}</td><td>${html(fix)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
    )
    .join('\n');
}
