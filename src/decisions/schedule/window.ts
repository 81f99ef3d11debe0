import { instantMs } from '../rfc3339.js';
import type { Schedule } from './schedule.js';

/** Between the schedule's `startAt` and `endAt`, both included: whether a kind without times of its own fires now. */
export function isWithin({ startAt, endAt }: Pick<Schedule, 'startAt' | 'endAt'>, now: number): boolean {
  const from = startAt === undefined ? null : instantMs(startAt);
  const to = endAt === undefined ? null : instantMs(endAt);
  return (from === null || now >= from) && (to === null || now <= to);
}
