import type { JobSchedule } from '@evenkeel/sdk/contract';
import type { ScheduleNote } from '../../decisions/schedule/check-schedule.js';
import type { Schedule } from '../../decisions/schedule/schedule.js';
import type { SchedulePreview } from '../contract/jobs.js';
import { iso } from '../request-parts.js';

/** The kinds all of whose fires are known beforehand. */
const FORESEEN: ReadonlySet<Schedule['kind']> = new Set(['cron', 'every', 'once']);
const SPARSE_MS = 300 * 24 * 3_600_000;

/** Fires as people read them: in the schedule's zone, with what is remarkable about them. Pure. */
export function previewOf(
  schedule: Schedule,
  timeZone: string,
  fires: readonly number[],
  asked: number,
  notes: readonly ScheduleNote[],
  clashes: number,
): SchedulePreview {
  const local = localTimes(timeZone);
  const shown = fires.map((at) => ({ at: iso(at), ...local(at) }));
  const badges = new Set<SchedulePreview['badges'][number]>();
  const gaps = fires.slice(1).map((at, i) => at - (fires[i] as number));
  if (fires.some((at) => offsetMinutes(local(at - 1).offset) < offsetMinutes(local(at).offset))) badges.add('dst_shifted');
  if (new Set(shown.map((fire) => fire.local)).size < shown.length) badges.add('dst_repeated');
  if (gaps.length > 0 && gaps.every((gap) => gap <= 1_000)) badges.add('every_second');
  if (gaps.some((gap) => gap > SPARSE_MS)) badges.add('sparse');
  if (fires.length < asked && FORESEEN.has(schedule.kind)) badges.add('ends');
  return { timeZone, schedule: schedule as JobSchedule, fires: shown, notes: [...notes], badges: [...badges], clashes };
}

function localTimes(timeZone: string): (at: number) => { local: string; weekday: string; offset: string } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (at) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const offset = (part.timeZoneName ?? 'GMT').replace('GMT', '') || '+00:00';
    const date = `${part.year}-${part.month}-${part.day}`;
    return { local: `${date} ${part.hour}:${part.minute}:${part.second}`, weekday: part.weekday ?? '', offset };
  };
}

function offsetMinutes(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d+):?(\d*)/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes || 0));
}
