import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptContext, NonRetryableError } from '@evenkeel/sdk/worker';

const LONGEST_MS = 24 * 3600_000;

/** Waits `ms` milliseconds, telling its progress; stops when asked to. */
export async function sleep(params: { ms?: unknown } | null, ctx: AttemptContext): Promise<{ sleptMs: number }> {
  const ms = params?.ms ?? 1000;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= LONGEST_MS))
    throw new NonRetryableError(`ms: must be a number from 0 to ${LONGEST_MS}`);
  const parts = Math.max(1, Math.min(20, Math.floor(ms / 250)));
  for (let part = 1; part <= parts; part++) {
    await delay(ms / parts, undefined, { signal: ctx.signal }).catch(() => {
      throw ctx.signal.reason;
    });
    if (parts > 1) ctx.progress(part / parts);
  }
  return { sleptMs: ms };
}
