/**
 * What should fire, found without any of the code under test: every minute of a span is looked at through Intl.DateTimeFormat, and
 * days are told by the definitions of L, W and # counted out on a calendar.
 */
export interface OracleCron {
  /** The expression that says the same. */
  expression: string;
  minutes: readonly number[];
  hours: readonly number[];
  day: (day: OracleDay) => boolean;
  /** The hour is a wildcard or a step. */
  realTime: boolean;
}
export interface OracleDay {
  year: number;
  month: number;
  day: number;
  /** 0 = Sunday. */
  weekday: number;
  lastDay: number;
}
export interface OracleDst {
  gap: 'first_valid' | 'skip';
  overlap: 'once' | 'twice';
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** No zone is farther from UTC. */
const FARTHEST = 14 * 60 * MINUTE;
export const everyDay = () => true;
export const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

export function oracleDay(local: number): OracleDay {
  const date = new Date(local);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return { year, month, day, weekday: date.getUTCDay(), lastDay: new Date(Date.UTC(year, month, 0)).getUTCDate() };
}

/** The fires in (from, to], both whole minutes. */
export function oracleFires(cron: OracleCron, timeZone: string, dst: OracleDst, from: number, to: number): number[] {
  const matches = (local: number) =>
    cron.minutes.includes((local / MINUTE) % 60) &&
    cron.hours.includes(Math.floor(local / MINUTE / 60) % 24) &&
    cron.day(oracleDay(local));
  const { clock, passes } = clockOf(timeZone, from - DAY, to + DAY);
  const fires = new Set<number>();
  if (cron.realTime) {
    for (const [at, local] of clock) if (matches(local)) fires.add(at);
  } else {
    for (let local = from - FARTHEST; local <= to + FARTHEST; local += MINUTE) {
      if (!matches(local)) continue;
      const at = passes.get(local) ?? [];
      const [first] = at;
      if (first === undefined) {
        const after = clock.find(([, shown]) => shown > local);
        if (dst.gap === 'first_valid' && after) fires.add(after[0]);
      } else if (dst.overlap === 'once') fires.add(first);
      else for (const pass of at) fires.add(pass);
    }
  }
  return [...fires].filter((at) => at > from && at <= to).sort((a, b) => a - b);
}

interface WallClock {
  /** Each minute of a span and what the clock on the wall shows, read as if it were UTC. */
  clock: [number, number][];
  /** The instants at which the clock shows a time. */
  passes: Map<number, number[]>;
}
const clocks = new Map<string, WallClock>();

function clockOf(timeZone: string, from: number, to: number): WallClock {
  const key = `${timeZone} ${from} ${to}`;
  const kept = clocks.get(key);
  if (kept) return kept;
  const wall = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const clock: [number, number][] = [];
  const passes = new Map<number, number[]>();
  for (let at = from; at <= to; at += MINUTE) {
    const [month, day, year, hour, minute] = (wall.format(at).match(/\d+/g) as string[]).map(Number);
    const local = Date.UTC(year as number, (month as number) - 1, day, hour, minute);
    clock.push([at, local]);
    passes.set(local, [...(passes.get(local) ?? []), at]);
  }
  clocks.set(key, { clock, passes });
  return { clock, passes };
}
