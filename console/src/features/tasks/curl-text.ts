import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';

type Work = Pick<
  TaskDetail,
  'handler' | 'group' | 'paramsText' | 'priority' | 'timeoutMs' | 'policies' | 'shards' | 'metadata' | 'callbackUrl'
>;
/** Linux takes no single argument of 128 KiB. */
const MOST_BYTES = 120_000;
const TARGET = '/openapi/v1/tasks';

/**
 * Shell lines that submit the same work by the partner API, signed by the sample the centre serves; null if no command line could hold
 * them. Keys are placeholders. Params go digit for digit. Without a clientRequestId, so that it is another task; of a broadcast, as many
 * shards as it had.
 */
export function curlText(task: Work, base: string): string | null {
  const { handler, group, paramsText, priority, timeoutMs, policies, shards, metadata, callbackUrl } = task;
  // How often a crash is repeated is a matter of jobs and groups; what stops the other shards, of tasks that have them.
  const { crashRetries: _, onShardFailure, ...stated } = policies;
  const rest = {
    priority,
    timeoutMs,
    ...stated,
    ...(shards ? { shards: shards.total, onShardFailure } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(callbackUrl === null ? {} : { callbackUrl }),
  };
  const first = JSON.stringify({ handler, group }).slice(0, -1);
  const body = `${first},"params":${paramsText},${JSON.stringify(rest).slice(1)}`;
  if (new TextEncoder().encode(body).length > MOST_BYTES) return null;
  return [
    `export EVENKEEL_URL=${quoted(base)}`,
    "export EVENKEEL_ACCESS_KEY='<access key>'",
    "export EVENKEEL_SECRET_KEY='<secret key>'",
    'curl -fsS "$EVENKEEL_URL/openapi/docs/ek1.sh" -o ek1.sh',
    `sh ek1.sh POST ${quoted(TARGET)} ${quoted(body)}`,
    '',
  ].join('\n');
}

/** One word to a POSIX shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
