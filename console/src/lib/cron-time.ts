import { type CronPart, type CronParts, parted, type Span } from './cron-parts';

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
      ? { is: 'within', unit: 'second', at: parted(second), hours: null, offset: 0 }
      : { is: 'every', unit: 'second', n, stretches: [], offset: 0 };
  return minute.all && hour.all ? seconds : { is: 'seconds', seconds, minutes: minutesOf(minute, hour, 0) };
}

function minutesOf(minute: CronPart, hour: CronPart, second: number): CronTime {
  const only = single(minute);
  const [span, ...more] = hour.spans;
  const [minutes, hours] = [chosen(minute), chosen(hour) ?? overMidnight(hour)];
  if (minutes && hours && (only !== null || minutes.length * hours.length <= MOST_TIMES))
    return { is: 'times', at: hours.flatMap((h) => minutes.map((m) => clock(h, m, second))) };
  if (only === 0 && second === 0 && evenStep(hour) !== null)
    return { is: 'every', unit: 'hour', n: evenStep(hour) as number, stretches: [], offset: 0 };
  if (only !== null && span && more.length === 0 && !hour.all) {
    const stretch = [clock(span.from, only, second), clock(span.to, only, second)] as const;
    return { is: 'every', unit: 'hour', n: span.step, stretches: [stretch], offset: 0 };
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
  return { is: 'within', unit: 'minute', at: parted(minute), hours: hour.all ? null : parted(hour), offset: second };
}

/** The step with which it goes evenly through the whole field, from its first value on. */
function evenStep({ spans: [span, ...more], size, min, all }: CronPart): number | null {
  if (all) return 1;
  if (!span || more.length > 0) return null;
  return span.from === min && size % span.step === 0 && span.values.length === size / span.step ? span.step : null;
}

/** First and last hour of each stretch without a gap, none for the whole day; null if there are steps. A day ends at midnight. */
function hourStretches({ spans, all }: CronPart): (readonly [number, number])[] | null {
  if (all) return [];
  if (!spans.every(({ step, values }) => step === 1 || values.length === 1)) return null;
  return spans
    .flatMap(({ from, to }) => (to > 23 ? [[0, to - 24] as const, [from, 23] as const] : [[from, to] as const]))
    .sort(([a], [b]) => a - b);
}

/** The hours of a range over midnight: all of them are of the same date. */
function overMidnight({ spans: [span, ...more] }: CronPart): number[] | null {
  return span && more.length === 0 && span.to > 23 ? [...span.values].sort((a, b) => a - b) : null;
}

/** Its values, if each is written by itself. */
function chosen({ spans }: CronPart): number[] | null {
  if (spans.some(({ values }) => values.length > 1)) return null;
  return [...new Set(spans.flatMap(({ values }) => values))].sort((a, b) => a - b);
}

function single(part: CronPart): number | null {
  const values = chosen(part);
  return values?.length === 1 ? (values[0] as number) : null;
}

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (hour: number, minute: number, second: number, full = second > 0): string =>
  `${two(hour)}:${two(minute)}${full ? `:${two(second)}` : ''}`;
