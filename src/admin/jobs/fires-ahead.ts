import { previewFires } from '../../decisions/schedule/next-fire.js';
import type { Job } from '../../jobs/job.js';

const CHUNK = 500;

/**
 * The fires of a job in [from, to), epoch milliseconds, at most so many; `cut` says that there are more. Computed by the function that
 * fires jobs, in pieces: long computing must not keep the dispatcher of this node waiting.
 */
export async function firesAhead(job: Job, from: number, to: number, most: number): Promise<{ fires: number[]; cut: boolean }> {
  if (job.corrupt !== null || job.nextFireAt === null) return { fires: [], cut: false };
  if (job.schedule.kind === 'after' || job.schedule.kind === 'once')
    return { fires: job.nextFireAt >= from && job.nextFireAt < to ? [job.nextFireAt] : [], cut: false };
  const fires: number[] = [];
  let after = Math.max(job.nextFireAt, from) - 1;
  while (fires.length < most) {
    const more = previewFires(job.schedule, after, Math.min(CHUNK, most - fires.length));
    const within = more.filter((at) => at < to);
    fires.push(...within);
    if (within.length < more.length || more.length === 0) return { fires, cut: false };
    after = more.at(-1) as number;
    await new Promise(setImmediate);
  }
  return { fires, cut: true };
}

/** How often a job that fires at even distances does so in [from, to), by arithmetic; null for any other. */
export function evenFires({ corrupt, schedule, nextFireAt }: Job, from: number, to: number): number | null {
  if (corrupt !== null || nextFireAt === null || schedule.kind !== 'every') return null;
  const { everyMs, endAt } = schedule;
  // `endAt` itself still fires.
  const until = Math.min(to, endAt === undefined ? to : Date.parse(endAt) + 1);
  const before = (instant: number) => Math.max(0, Math.ceil((instant - nextFireAt) / everyMs));
  return until <= from ? 0 : before(until) - before(from);
}
