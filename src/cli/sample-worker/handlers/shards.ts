import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptContext, NonRetryableError } from '@evenkeel/sdk/worker';

const MOST_KEYS = 100_000;
const LONGEST_MS = 24 * 3600_000;

/** Does its part of `keys` numbered pieces of work, taking `ms` milliseconds; all of them where it is no shard. Tells how many were its own. */
export async function shards(
  params: { keys?: unknown; ms?: unknown } | null,
  ctx: AttemptContext,
): Promise<{ index: number; total: number; owned: number }> {
  const keys = wholeNumber('keys', params?.keys ?? 100, MOST_KEYS);
  const ms = wholeNumber('ms', params?.ms ?? 0, LONGEST_MS);
  const own = Array.from({ length: keys }, (_, key) => `key-${key}`).filter((key) => ctx.shard?.owns(key) ?? true);
  await delay(ms, undefined, { signal: ctx.signal }).catch(() => {
    throw ctx.signal.reason;
  });
  return { index: ctx.shard?.index ?? 0, total: ctx.shard?.total ?? 1, owned: own.length };
}

function wholeNumber(name: string, value: unknown, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new NonRetryableError(`${name}: must be an integer from 0 to ${most}`);
}
