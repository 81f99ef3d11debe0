import type { CronPart, CronParts } from './cron-parts';
import { runs, type Span } from './cron-spans';

/** Times of day that are told one by one. */
const MOST_TIMES = 8;

/** When within the days it fires. */
export type CronTime =
  /** `HH:mm` or `HH:mm:ss`, in order. */
  | { is: 'times'; at: readonly string[] }
  /** Every n of the unit, first and last fire of each stretch; no stretches: round the clock, at the second `offset` of each. */
  | {
      is: 'every';
      unit: 'second' | 'minute' | 'hour';
      n: number;
      stretches: readonly (readonly [string, string])[];
      offset: number;
    }
  /** These minutes (or seconds) of these hours (of every minute), at the second `offset`. */
  | { is: 'within'; unit: 'second' | 'minute'; at: readonly Span[]; hours: readonly Span[] | null; offset: number }
  /** Seconds of minutes that are chosen too. */
  | { is: 'seconds'; seconds: CronTime; minutes: CronTime };

export interface CronWords {
  sentence(parts: CronParts, time: CronTime): string;
}

/** All there are, be they minutes or seconds. */
export const isEach = ([span]: readonly Span[]): boolean => span?.step === 1 && span.values.length === 60;

export function timeOf({ second, minute, hour }: CronParts): CronTime {
  const offset = single(second);
  if (offset !== null) return minutesOf(minute, hour, offset);
  const n = evenStep(second);
  const stretches = hourStretches(hour);
  if (minute.all && n !== null && stretches)
    return {
      is: 'every',
      unit: 'second',
      n,
      stretches: stretches.map(([from, to]) => [clock(from, 0, 0, true), clock(to, 59, 60 - n)]),
      offset: 0,
    };
  const seconds: CronTime =
    n === null
      ? { is: 'within', unit: 'second', at: second.spans, hours: null, offset: 0 }
      : { is: 'every', unit: 'second', n, stretches: [], offset: 0 };
  return minute.all && hour.all ? seconds : { is: 'seconds', seconds, minutes: minutesOf(minute, hour, 0) };
}

function minutesOf(minute: CronPart, hour: CronPart, second: number): CronTime {
  const only = single(minute);
  const [span, ...more] = hour.spans;
  const [minutes, hours] = [minute.listed ? minute.values : null, oneByOne(hour)];
  if (minutes && hours && (only !== null || minutes.length * hours.length <= MOST_TIMES))
    return { is: 'times', at: hours.flatMap((h) => minutes.map((m) => clock(h, m, second))) };
  if (only === 0 && second === 0 && evenStep(hour) !== null)
    return { is: 'every', unit: 'hour', n: evenStep(hour) as number, stretches: [], offset: 0 };
  if (only !== null && span && !hour.all && (more.length === 0 || hour.spans.every(({ values }) => values.length > 1))) {
    const stretches = hour.spans.map(({ from, to }) => [clock(from, only, second), clock(to, only, second)] as const);
    return { is: 'every', unit: 'hour', n: span.step, stretches, offset: 0 };
  }
  const n = evenStep(minute);
  const stretches = hourStretches(hour);
  if (n !== null && stretches)
    return {
      is: 'every',
      unit: 'minute',
      n,
      stretches: stretches.map(([from, to]) => [clock(from, 0, second), clock(to, 60 - n, second)]),
      offset: second,
    };
  return { is: 'within', unit: 'minute', at: minute.spans, hours: hour.all ? null : hour.spans, offset: second };
}

/** The step with which it goes evenly through the whole field, from its first value on. */
function evenStep({ spans: [span, ...more], size, min, all }: CronPart): number | null {
  if (all) return 1;
  if (!span || more.length > 0) return null;
  return span.from === min && size % span.step === 0 && span.values.length === size / span.step ? span.step : null;
}

/** First and last hour of each stretch without a gap, none for the whole day; null if there are steps. A day ends at midnight. */
function hourStretches({ spans, values, listed, all, min, size }: CronPart): (readonly [number, number])[] | null {
  if (all) return [];
  if (!listed && spans.some(({ step }) => step > 1)) return null;
  return runs(values, min, size, false).map(({ from, to }) => [from, to] as const);
}

/** Hours that are told one by one: those written so, and a few that make more than one stretch. */
function oneByOne({ spans, values, listed }: CronPart): readonly number[] | null {
  const isFew = spans.length > 1 && (values.length <= MOST_TIMES || spans.every((span) => span.values.length === 1));
  return listed || isFew ? values : null;
}

function single({ values }: CronPart): number | null {
  return values.length === 1 ? (values[0] as number) : null;
}

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (hour: number, minute: number, second: number, full = second > 0): string =>
  `${two(hour)}:${two(minute)}${full ? `:${two(second)}` : ''}`;
