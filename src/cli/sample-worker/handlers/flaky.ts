import { type AttemptContext, NonRetryableError } from '@evenkeel/sdk/worker';

/** Fails on its first `failTimes` attempts (1 if absent) and then succeeds. */
export function flaky(params: { failTimes?: unknown } | null, ctx: AttemptContext): { attempt: number } {
  const failTimes = params?.failTimes ?? 1;
  if (typeof failTimes !== 'number' || !Number.isInteger(failTimes)) throw new NonRetryableError('failTimes: must be an integer');
  if (ctx.attempt <= failTimes) throw new Error(`attempt ${ctx.attempt} fails; the first ${failTimes} do`);
  return { attempt: ctx.attempt };
}
