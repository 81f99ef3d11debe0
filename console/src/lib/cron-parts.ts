import { progression, runs, type Span, singles } from './cron-spans';

/** Days that depend on the month. Weekdays are 0–6 from Sunday. */
export type MonthDay =
  | { is: 'beforeLast'; days: number }
  | { is: 'lastWorkday' }
  | { is: 'nearestWorkday'; day: number }
  | { is: 'nth'; weekday: number; n: number | 'L' };
/** A field as the set it stands for, whatever way it was written. */
export interface CronPart {
  /** In order. */
  values: readonly number[];
  /** The same as it is best told. */
  spans: readonly Span[];
  special: readonly MonthDay[];
  /** Each value was written by itself, none as a part of a range or a step. */
  listed: boolean;
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
  /** Its end is followed by its beginning: Friday to Monday is one stretch, the 30th to the 2nd of one month are two. */
  turning?: boolean;
  /** Steps are told one after the other: too many values to name each. */
  long?: boolean;
  special?: (item: string) => MonthDay | null;
}
const DAY: Field = { min: 1, max: 31, special: dayOfMonth };
const MONTH: Field = { min: 1, max: 12, names: MONTHS, turning: true };
const WEEKDAY: Field = { min: 0, max: 6, names: WEEKDAYS, turning: true, special: nthWeekday };
const YEAR: Field = { min: 1970, max: 2099, long: true };

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
      month: partOf(month, MONTH),
      weekday: partOf(weekday, WEEKDAY),
      year: partOf(year ?? '*', YEAR),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Which days it fires on. */
export interface DayRule {
  /** Null: whichever day of the month. */
  day: CronPart | null;
  /** Null: whichever weekday. */
  week: CronPart | null;
  /** Both must fit; otherwise either will do. */
  both: boolean;
}

/** One of two fields that restrict is enough for cron, so a day field with every value, but without a wildcard in front, makes it every day. */
export function dayRule({ day, weekday: week }: CronParts): DayRule {
  const both = day.open || week.open;
  const isEvery = !both && (day.all || week.all);
  return { day: day.all || isEvery ? null : day, week: week.all || isEvery ? null : week, both };
}

function partOf(text: string, field: Field): CronPart {
  const items = (text === '?' && field.special ? '*' : text).split(',');
  const special = items.map((item) => field.special?.(item) ?? null);
  const sets = items.filter((_, n) => special[n] === null).map((item) => valuesOf(item, field));
  const size = field.max - field.min + 1;
  const values = [...new Set(sets.flat())].sort((a, b) => a - b);
  const listed = sets.every((set) => set.length === 1);
  return {
    values,
    spans: spansOf(sets, values, listed, field),
    special: special.filter((each, n) => each !== null && special.findIndex((one) => same(one, each)) === n) as MonthDay[],
    listed,
    all: values.length === size,
    open: /^[*?]/.test(text),
    size,
    min: field.min,
  };
}

const same = (one: MonthDay | null, other: MonthDay): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What was listed stays a list; anything else is a step where it is one, and otherwise its stretches without a gap. */
function spansOf(sets: readonly number[][], values: readonly number[], listed: boolean, field: Field): Span[] {
  const size = field.max - field.min + 1;
  if (listed && values.length < size) return singles(values);
  const step = values.length > 2 || sets.length === 1 ? progression(values) : null;
  const [first = 0, second = 0] = sets[0] ?? [];
  if (step && (values.length > 2 || first < second)) return [step];
  const apart = sets.map((set) => progression(set) ?? singles(set)[0]).filter((each) => each !== undefined);
  const isDisjoint = sets.flat().length === values.length;
  if (field.long && isDisjoint && apart.some((each) => each.step > 1)) return apart.sort((a, b) => a.from - b.from);
  return runs(values, field.min, size, field.turning ?? false);
}

/** What one item of a list stands for, in the order it goes through it. */
function valuesOf(item: string, field: Field): number[] {
  const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item);
  if (!match) throw new RangeError(item);
  const [, first = '', last, stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  const size = field.max - field.min + 1;
  if (step < 1 || step > longestStep(field)) throw new RangeError(item);
  const from = first === '*' ? field.min : numberOf(first, field);
  const isOpen = first === '*' || (last === undefined && stepText !== undefined);
  // 7 is the Sunday that ends a week, unless the range begins with it.
  const end = isOpen ? field.max : last === undefined ? from : numberOf(last, field, !isSeven(first, field));
  const to = end < from ? end + size : end;
  const values = new Set<number>();
  for (let at = from; at <= to; at += step) values.add(field.min + ((at - field.min) % size));
  return [...values];
}

const longestStep = (field: Field): number =>
  field === YEAR ? field.max - field.min : field === WEEKDAY ? field.max + 1 : field.max;

const isSeven = (text: string, field: Field): boolean => field === WEEKDAY && /^\d+$/.test(text) && Number(text) === 7;

function numberOf(text: string, field: Field, asEnd = false): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return field.min + named;
  if (isSeven(text, field)) return asEnd ? 7 : 0;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= field.min && number <= field.max)) throw new RangeError(text);
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
