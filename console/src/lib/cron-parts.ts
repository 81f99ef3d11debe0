/** Every n-th of these numbers; a single one where they are equal. `to` may lie beyond the end of the field: it begins anew there. */
export interface Span {
  from: number;
  to: number;
  step: number;
  /** In the order they come. */
  values: readonly number[];
}
/** Days that depend on the month. Weekdays are 0–6 from Sunday. */
export type MonthDay =
  | { is: 'beforeLast'; days: number }
  | { is: 'lastWorkday' }
  | { is: 'nearestWorkday'; day: number }
  | { is: 'nth'; weekday: number; n: number | 'L' };
export interface CronPart {
  spans: readonly Span[];
  special: readonly MonthDay[];
  /** Every value there is. */
  all: boolean;
  /** It begins with a wildcard: for cron it restricts nothing by itself, so the other day field must fit too. */
  open: boolean;
  size: number;
  min: number;
}
export interface CronParts {
  second: CronPart;
  minute: CronPart;
  hour: CronPart;
  day: CronPart;
  month: CronPart;
  weekday: CronPart;
  year: CronPart;
}

const MACROS: Record<string, string> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  min: number;
  max: number;
  names?: readonly string[];
  special?: (item: string) => MonthDay | null;
}
const DAY: Field = { min: 1, max: 31, special: dayOfMonth };
const WEEKDAY: Field = { min: 0, max: 6, names: WEEKDAYS, special: nthWeekday };

/**
 * Takes apart what the server has accepted, or a person is still writing: null for what it cannot read. What is valid only the server
 * decides.
 */
export function cronParts(expression: string): CronParts | null {
  const text = expression.trim().toUpperCase();
  const fields = (MACROS[text] ?? text).split(/\s+/);
  const [second, minute = '', hour = '', day = '', month = '', weekday = '', year] =
    fields.length === 5 ? ['0', ...fields] : fields;
  if (fields.length < 5 || fields.length > 7) return null;
  try {
    return {
      second: partOf(second ?? '0', { min: 0, max: 59 }),
      minute: partOf(minute, { min: 0, max: 59 }),
      hour: partOf(hour, { min: 0, max: 23 }),
      day: partOf(day, DAY),
      month: partOf(month, { min: 1, max: 12, names: MONTHS }),
      weekday: partOf(weekday, WEEKDAY),
      year: partOf(year ?? '*', { min: 1970, max: 2099 }),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function partOf(text: string, field: Field): CronPart {
  const items = (text === '?' && field.special ? '*' : text).split(',');
  const special = items.map((item) => field.special?.(item) ?? null);
  const spans = items.filter((_, n) => special[n] === null).map((item) => spanOf(item, field));
  const size = field.max - field.min + 1;
  return {
    spans,
    special: special.filter((each) => each !== null),
    all: new Set(spans.flatMap(({ values }) => values)).size === size,
    open: /^[*?]/.test(text),
    size,
    min: field.min,
  };
}

function spanOf(item: string, field: Field): Span {
  const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item);
  if (!match) throw new RangeError(item);
  const [, first = '', last, stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  const from = first === '*' ? field.min : numberOf(first, field);
  const open = first === '*' || (last === undefined && stepText !== undefined);
  const end = open
    ? field.max
    : last === undefined
      ? from
      : numberOf(last, field, last === '7' && first !== '0' && first !== '7');
  const size = field.max - field.min + 1;
  const to = end < from ? end + size : end;
  if (step < 1 || step > field.max) throw new RangeError(item);
  const values: number[] = [];
  for (let at = from; at <= to; at += step) values.push(field.min + ((at - field.min) % size));
  return { from, to: from + (values.length - 1) * step, step, values };
}

/** 7 is the Sunday a week ends with, where it ends a range, and otherwise the one it begins with. */
function numberOf(text: string, { min, max, names }: Field, asEnd = false): number {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return min + named;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (names === WEEKDAYS && number === 7) return asEnd ? 7 : 0;
  if (!(number >= min && number <= max)) throw new RangeError(text);
  return number;
}

function dayOfMonth(item: string): MonthDay | null {
  if (item === 'LW' || item === 'WL') return { is: 'lastWorkday' };
  const last = /^L(?:-(\d+))?$/.exec(item);
  if (last) return { is: 'beforeLast', days: Number(last[1] ?? 0) };
  const near = /^(\d+)W$/.exec(item);
  return near ? { is: 'nearestWorkday', day: numberOf(near[1] ?? '', { min: 1, max: 31 }) } : null;
}

function nthWeekday(item: string): MonthDay | null {
  const match = /^(\w+?)(?:#([1-5])|L)$/.exec(item);
  if (!match) return null;
  return { is: 'nth', weekday: numberOf(match[1] ?? '', WEEKDAY), n: match[2] === undefined ? 'L' : Number(match[2]) };
}

/** In order, with a stretch over the end of its field as the two it is: minutes 50 to 10 are 0 to 10 and 50 to 59 of the same hour. */
export function parted({ spans, size, min }: CronPart): Span[] {
  const end = min + size;
  if (spans.every(({ to }) => to < end)) return [...spans];
  const parts = spans.flatMap(({ from, step, values }) => {
    const before = Math.min(values.length, Math.ceil((end - from) / step));
    return [values.slice(0, before), values.slice(before)].flatMap((each) => spanAlong(each, step));
  });
  return parts.sort((a, b) => a.from - b.from);
}

const spanAlong = (values: readonly number[], step: number): Span[] =>
  values.length === 0 ? [] : [{ from: values[0] as number, to: values.at(-1) as number, step, values }];

/** The same with each value of a step, and each of only two neighbours, by itself. */
export function unstepped(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) =>
    span.values.length > 2 && span.step === 1
      ? [span]
      : span.values.map((value) => ({ from: value, to: value, step: 1, values: [value] })),
  );
}

/** Weekdays one by one begin with Monday, whatever number Sunday has. */
export const mondayFirst = (spans: readonly Span[]): Span[] => {
  const days = unstepped(spans);
  return days.every(({ values }) => values.length === 1) ? days.sort((a, b) => ((a.from + 6) % 7) - ((b.from + 6) % 7)) : days;
};
