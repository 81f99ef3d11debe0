import fc from 'fast-check';
import { readCron } from '../../src/decisions/schedule/cron-expression.js';
import { range } from '../support/fire-oracle.js';

interface Part {
  spans: { from: number; to: number; step: number; values: number[] }[];
  special: { is: string; days?: number; day?: number; weekday?: number; n?: number | 'L' }[];
  min: number;
  size: number;
}
type Span = Part['spans'][number];
type Time =
  | { is: 'times'; at: string[] }
  | { is: 'every'; unit: 'second' | 'minute' | 'hour'; n: number; stretches: [string, string][]; offset: number }
  | { is: 'within'; unit: 'second' | 'minute'; at: Span[]; hours: Span[] | null; offset: number }
  | { is: 'seconds'; seconds: Time; minutes: Time };
type Parts = Record<'second' | 'minute' | 'hour' | 'day' | 'month' | 'weekday' | 'year', Part>;

/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { cronParts, dayRule } = jest.requireActual<{
  cronParts: (expression: string) => Parts | null;
  dayRule: (parts: Parts) => { day: Part | null; week: Part | null; both: boolean };
}>('../../console/src/lib/cron-parts');
const { timeOf } = jest.requireActual<{ timeOf: (parts: Parts) => Time }>('../../console/src/lib/cron-time');

const DAY_S = 24 * 3600;
const sorted = (values: Iterable<number>) => [...new Set(values)].sort((a, b) => a - b);
/** From the bounds and steps, which are what the words name; past the end of its field it begins anew. */
const toldBy = (spans: Span[], { min, size }: { min: number; size: number }) =>
  sorted(
    spans.flatMap(({ from, to, step }) =>
      range(0, Math.round((to - from) / step)).map((n) => min + ((from + n * step - min) % size)),
    ),
  );
const seconds = (clock: string) => {
  const [h = 0, m = 0, s = 0] = clock.split(':').map(Number);
  return h * 3600 + m * 60 + s;
};
const UNIT_S = { second: 1, minute: 60, hour: 3600 };
const SIXTY = { min: 0, size: 60 };

/** Each second of a day, 1 where it is among these. */
function dayOf(fires: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(DAY_S);
  for (const second of fires) marks[second] = 1;
  return marks;
}

/** The seconds of a day that a sentence names. */
function* toldTimes(time: Time): Generator<number> {
  switch (time.is) {
    case 'times':
      yield* time.at.map(seconds);
      break;
    case 'every': {
      const stretches = time.stretches.map(([from, to]) => [seconds(from), seconds(to)] as const);
      const each = time.n * UNIT_S[time.unit];
      for (const [from, to] of stretches.length > 0 ? stretches : [[time.offset, DAY_S - 1] as const])
        for (let second = from; second <= to; second += each) yield second;
      break;
    }
    case 'within': {
      const at = toldBy(time.at, SIXTY);
      const hours = time.hours === null ? range(0, 23) : toldBy(time.hours, { min: 0, size: 24 });
      if (time.unit === 'second') for (const minute of range(0, 1439)) yield* at.map((second) => minute * 60 + second);
      else for (const hour of hours) yield* at.map((minute) => hour * 3600 + minute * 60 + time.offset);
      break;
    }
    case 'seconds': {
      const minutes = dayOf(toldTimes(time.minutes));
      for (const second of toldTimes(time.seconds)) if (minutes[second - (second % 60)] === 1) yield second;
    }
  }
}

/** Items of a field in each form the dialect has, with numbers and names. */
function items(min: number, max: number, step: number, names: string[] = [], wraps = true): fc.Arbitrary<string> {
  const number = fc.integer({ min, max });
  const value = names.length > 0 ? fc.oneof(number.map(String), fc.constantFrom(...names)) : number.map(String);
  const steps = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: step }).map((n) => `/${n}`),
  );
  const between = wraps
    ? fc.tuple(value, value)
    : fc.tuple(number, number).map(([a, b]) => [String(Math.min(a, b)), String(Math.max(a, b))] as [string, string]);
  return fc.oneof(
    value,
    fc.constantFrom('*', `${min}-${max}`, `${min}/1`, `*/${step}`),
    fc.tuple(value, steps).map(([from, every]) => from + every),
    fc.tuple(between, steps).map(([[from, to], every]) => `${from}-${to}${every}`),
    fc.integer({ min: 1, max: Math.min(step, 12) }).map((n) => `*/${n}`),
  );
}
const listOf = (item: fc.Arbitrary<string>) =>
  fc.oneof(
    item,
    fc.array(item, { minLength: 1, maxLength: 4 }).map((all) => all.join(',')),
  );
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const minute = listOf(items(0, 59, 59));
const hour = listOf(items(0, 23, 23));
const day = fc.oneof(
  fc.constantFrom('?', '*'),
  listOf(
    fc.oneof(
      { weight: 4, arbitrary: items(1, 31, 31) },
      {
        weight: 1,
        arbitrary: fc.oneof(
          fc.constantFrom('L', 'LW', 'WL'),
          fc.integer({ min: 0, max: 30 }).map((n) => `L-${n}`),
          fc.integer({ min: 1, max: 31 }).map((n) => `${n}W`),
        ),
      },
    ),
  ),
);
const weekday = fc.oneof(
  fc.constantFrom('?', '*'),
  listOf(
    fc.oneof(
      { weight: 4, arbitrary: items(0, 7, 7, WEEKDAYS) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...WEEKDAYS, '0', '5', '7'), fc.constantFrom('L', '#1', '#5'))
          .map(([name, which]) => name + which),
      },
    ),
  ),
);
const month = listOf(items(1, 12, 12, ['JAN', 'FEB', 'JUN', 'DEC']));
const year = listOf(items(2020, 2099, 129, [], false));
const expression = fc
  .tuple(
    fc.option(fc.oneof(fc.integer({ min: 0, max: 59 }).map(String), minute), { nil: undefined }),
    fc.oneof(fc.constantFrom('0', '30', '*/5'), minute),
    hour,
    day,
    fc.oneof(fc.constant('*'), month),
    weekday,
    fc.option(year, { nil: undefined }),
  )
  .map(([second, ...fields]) =>
    [second ?? (fields.at(-1) === undefined ? undefined : '0'), ...fields].filter((field) => field !== undefined).join(' '),
  );

const specials = ({ special }: Part): string[] =>
  special
    .map((each) => `${each.is} ${[each.days, each.day, each.weekday, each.n].filter((value) => value !== undefined).join('#')}`)
    .sort();

/** What is told of an expression is told by the sentence's own parts, and each must be what the server fires at. */
function expectServersSets(text: string) {
  const server = readCron(text, 'unix');
  const parts = cronParts(text);
  if (parts === null) throw new Error(`${text} has no sentence`);
  expect(toldBy(parts.month.spans, parts.month)).toEqual(sorted(server.months));
  expect(toldBy(parts.year.spans, parts.year)).toEqual(sorted(server.years));
  expect(toldBy(parts.day.spans, parts.day)).toEqual(sorted(server.dayOfMonth.days));
  expect(toldBy(parts.weekday.spans, parts.weekday)).toEqual(sorted(server.dayOfWeek.days));
  for (const { to } of parts.day.spans) expect(to).toBeLessThanOrEqual(31);

  const { nearest, beforeLast, lastWorkday } = server.dayOfMonth;
  expect(specials(parts.day)).toEqual(
    [
      ...[...nearest].map((n) => `nearestWorkday ${n}`),
      ...[...beforeLast].map((n) => `beforeLast ${n}`),
      ...(lastWorkday ? ['lastWorkday '] : []),
    ].sort(),
  );
  expect(specials(parts.weekday)).toEqual([...server.dayOfWeek.nth].map((n) => `nth ${n.replace(/L$/, '#L')}`).sort());

  const either = !server.dayOfMonth.unrestricted && !server.dayOfWeek.unrestricted;
  const told = dayRule(parts);
  const [days, weekdays] = [told.day, told.week].map((part) => part && new Set(toldBy(part.spans, part)));
  for (const d of range(1, 31))
    for (const w of range(0, 6)) {
      const [onDay, onWeek] = [server.dayOfMonth.days.has(d), server.dayOfWeek.days.has(w)];
      const fits =
        days && weekdays && !told.both ? days.has(d) || weekdays.has(w) : (days?.has(d) ?? true) && (weekdays?.has(w) ?? true);
      if (fits !== (either ? onDay || onWeek : onDay && onWeek)) throw new Error(`${text}: day ${d}, weekday ${w}`);
    }

  const fires = new Uint8Array(DAY_S);
  for (const h of server.hours)
    for (const m of server.minutes) for (const second of server.seconds) fires[h * 3600 + m * 60 + second] = 1;
  if (!Buffer.from(dayOf(toldTimes(timeOf(parts)))).equals(fires)) throw new Error(`${text}: ${JSON.stringify(timeOf(parts))}`);
}

it('the sentence of any expression is made from the sets the server fires by', () => {
  fc.assert(fc.property(expression, expectServersSets), { numRuns: 3000 });
});

it.each([
  '0 9 * * 0-7',
  '0 9 * * 0-7/2',
  '0 9 * * 7-7',
  '0 9 15 * 0-6',
  '0 9 15,* * MON',
  '0 9 *,15 * MON',
  '0 9 10-5 * *',
  '0 9 25-5/2 * */7',
  '55-5 50-10 22-2 * * *',
  '0 20-8 * * *',
  '40-20/20 * * * *',
])('so is that of %s', expectServersSets);
