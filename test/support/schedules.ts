import { checkSchedule, type ScheduleContext } from '../../src/decisions/schedule/check-schedule.js';
import { previewFires } from '../../src/decisions/schedule/next-fire.js';
import type { CronSchedule, Schedule } from '../../src/decisions/schedule/schedule.js';

/** The stored form of a schedule that must be accepted. */
export function accepted(input: object, context?: ScheduleContext): Schedule {
  const verdict = checkSchedule(input, context);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.errors));
  return verdict.schedule;
}

export const cron = (expression: string, over: object = {}): CronSchedule =>
  accepted({ kind: 'cron', timeZone: 'UTC', expression, ...over }) as CronSchedule;

/** The first `count` fires after an instant, as a person writes them. */
export const fires = (schedule: Schedule, from: string, count: number): string[] =>
  previewFires(schedule, Date.parse(from), count).map((at) => new Date(at).toISOString().replace('.000Z', 'Z'));
