import type { Calendar } from '../../../../src/admin/contract/overview.js';

export const HOUR = 3_600_000;

/** Why fires have no task, or what those that have one came to or wait for, with the mark each has on the map: colour alone says nothing. */
export const MARKS = {
  failed: '✕',
  unfinished: '…',
  held: '◧',
  missing: '○',
  missed: '◇',
  paused: '‖',
  disabled: '■',
  unknown: '?',
} as const;
export type Mark = keyof typeof MARKS;
export const MARKED = Object.keys(MARKS) as Mark[];
/** Those without a task. */
export const GAPS = ['missing', 'missed', 'paused', 'disabled', 'unknown'] as const;

/** Fires of an hour: `count` have a task or are still to come, `ahead` of them are, the others are marked. */
export type HourFires = Record<Mark | 'count' | 'ahead', number>;

const NOTHING: HourFires = {
  count: 0,
  ahead: 0,
  failed: 0,
  unfinished: 0,
  held: 0,
  missing: 0,
  missed: 0,
  paused: 0,
  disabled: 0,
  unknown: 0,
};
export const isNothing = (fires: HourFires): boolean => fires.count === 0 && GAPS.every((gap) => fires[gap] === 0);

export function firesOf(job: Calendar['jobs'][number], start: number, hours: number): HourFires[] {
  const fires = Array.from({ length: hours }, () => ({ ...NOTHING }));
  const at = (instant: string) => fires[Math.floor((Date.parse(instant) - start) / HOUR)] ?? { ...NOTHING };
  const add = (instant: string, count: number) => {
    const hour = at(instant);
    hour.count += count;
    hour.ahead += count;
  };
  for (const instant of job.fires ?? []) add(instant, 1);
  for (const { at: instant, count } of job.hours ?? []) add(instant, count);
  for (const { at: instant, ...past } of job.past ?? []) {
    const hour = at(instant);
    hour.count += past.succeeded + past.failed + past.cancelled + past.skipped + past.unfinished + past.held;
    for (const mark of MARKED) hour[mark] += past[mark];
  }
  return fires;
}

export function sumOf(all: readonly HourFires[]): HourFires {
  const sum = { ...NOTHING };
  for (const fires of all) for (const name of Object.keys(sum) as (keyof HourFires)[]) sum[name] += fires[name];
  return sum;
}

/** Whether an hour lies wholly before a job fires at all, or after it has for the last time. */
export function outsideOf(job: Pick<Calendar['jobs'][number], 'begins' | 'ends'>, hour: number): 'before' | 'after' | undefined {
  if (hour + HOUR <= Date.parse(job.begins)) return 'before';
  return job.ends !== null && hour > Date.parse(job.ends) ? 'after' : undefined;
}
