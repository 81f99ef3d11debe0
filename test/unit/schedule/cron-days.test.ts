import fc from 'fast-check';
import { nextFire } from '../../../src/decisions/schedule/next-fire.js';
import { type OracleDay, oracleDay, range } from '../../support/fire-oracle.js';
import { cron, fires } from '../../support/schedules.js';

const days = (expression: string, count: number, from = '2025-12-31T12:00:00Z') =>
  fires(cron(`0 0 ${expression}`), from, count).map((at) => at.slice(0, 10));

describe('days of the month and the week', () => {
  it.each([
    ['1,L * *', ['2026-01-01', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01', '2026-04-30']],
    ['L-3 * *', ['2026-01-28', '2026-02-25', '2026-03-28', '2026-04-27']],
    ['L-0 2 *', ['2026-02-28', '2027-02-28', '2028-02-29']],
    ['L-28 2 *', ['2028-02-01', '2032-02-01']],
    ['L-30,15 2-4 *', ['2026-02-15', '2026-03-01', '2026-03-15', '2026-04-15']],
    ['31W * *', ['2026-01-30', '2026-03-31', '2026-05-29', '2026-07-31']],
    ['1W * *', ['2026-01-01', '2026-02-02', '2026-03-02', '2026-04-01', '2026-05-01']],
    ['1,15W * *', ['2026-01-01', '2026-01-15', '2026-02-01', '2026-02-16', '2026-03-01', '2026-03-16']],
    ['LW * *', ['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30', '2026-05-29']],
    ['1,LW * *', ['2026-01-01', '2026-01-30', '2026-02-01', '2026-02-27']],
    ['* * 6#5', ['2026-01-31', '2026-05-30', '2026-08-29', '2026-10-31']],
    ['* * FRIL', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['* * 1#1,3#2,5L', ['2026-01-05', '2026-01-14', '2026-01-30', '2026-02-02']],
    ['29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
    ['29 2 ?', ['2028-02-29', '2032-02-29']],
    ['? * MON', ['2026-01-05', '2026-01-12']],
    [
      '28-2 * *',
      [
        '2026-01-01',
        '2026-01-02',
        '2026-01-28',
        '2026-01-29',
        '2026-01-30',
        '2026-01-31',
        '2026-02-01',
        '2026-02-02',
        '2026-02-28',
      ],
    ],
    ['1 NOV-FEB *', ['2026-01-01', '2026-02-01', '2026-11-01', '2026-12-01', '2027-01-01']],
    ['* * FRI-MON', ['2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-09']],
    ['13 * FRI', ['2026-01-02', '2026-01-09', '2026-01-13', '2026-01-16']],
  ])('%s', (expression, expected) => {
    expect(days(expression, expected.length)).toEqual(expected);
  });

  it('a day field that begins with * restricts nothing by itself, so both must match', () => {
    expect(days('*/10 * MON', 3)).toEqual(['2026-05-11', '2026-06-01', '2026-08-31']);
    expect(days('1 * */2', 3)).toEqual(['2026-01-01', '2026-02-01', '2026-03-01']);
  });

  it.each(['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'].map((name, i) => [name, i] as const))(
    '%s is %i, and one more in Quartz',
    (name, i) => {
      const at = `2026-01-0${i === 0 ? 4 : i < 4 ? i + 4 : i - 3}`;
      expect(days(`* * ${name}`, 1)).toEqual([at]);
      expect(days(`* * ${i}`, 1)).toEqual([at]);
      if (i === 0) expect(days('* * 7', 1)).toEqual([at]);
      const quartz = cron(`0 0 0 ? * ${i + 1}`, { cronDialect: 'quartz' });
      expect(quartz.expression).toBe(`0 0 0 * * ${name}`);
      expect(fires(quartz, '2025-12-31T12:00:00Z', 1)).toEqual([`${at}T00:00:00Z`]);
    },
  );
});

/** A day field as text and as a predicate told from the definition. */
interface Field {
  text: string;
  matches: (day: OracleDay) => boolean;
}
const workday = (weekday: number) => weekday >= 1 && weekday <= 5;
const at = ({ year, month }: OracleDay, day: number) => oracleDay(Date.UTC(year, month - 1, day));
function nearestWorkday(today: OracleDay, wanted: number): boolean {
  if (wanted > today.lastDay) return false;
  const near = range(1, today.lastDay).filter((day) => workday(at(today, day).weekday));
  const distance = Math.min(...near.map((day) => Math.abs(day - wanted)));
  // Friday is nearer to Saturday and Monday to Sunday, so no two are equally near within a month.
  return near.find((day) => Math.abs(day - wanted) === distance) === today.day;
}
const monthDay = fc.oneof(
  fc.integer({ min: 1, max: 31 }).map((n): Field => ({ text: `${n}`, matches: ({ day }) => day === n })),
  fc
    .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 }))
    .map(
      ([a, b]): Field => ({ text: `${a}-${b}`, matches: ({ day }) => (a <= b ? day >= a && day <= b : day >= a || day <= b) }),
    ),
  fc
    .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 }))
    .map(([a, n]): Field => ({ text: `${a}/${n}`, matches: ({ day }) => day >= a && (day - a) % n === 0 })),
  fc.constant<Field>({ text: 'L', matches: ({ day, lastDay }) => day === lastDay }),
  fc.integer({ min: 0, max: 30 }).map((n): Field => ({ text: `L-${n}`, matches: ({ day, lastDay }) => day === lastDay - n })),
  fc.integer({ min: 1, max: 31 }).map((n): Field => ({ text: `${n}W`, matches: (day) => nearestWorkday(day, n) })),
  fc.constant<Field>({
    text: 'LW',
    matches: (today) => today.day === range(1, today.lastDay).findLast((day) => workday(at(today, day).weekday)),
  }),
);
const weekDay = fc.oneof(
  fc.integer({ min: 0, max: 7 }).map((n): Field => ({ text: `${n}`, matches: ({ weekday }) => weekday === n % 7 })),
  fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })).map(
    ([a, b]): Field => ({
      text: `${a}-${b}`,
      matches: ({ weekday }) => (a <= b ? weekday >= a && weekday <= b : weekday >= a || weekday <= b),
    }),
  ),
  fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 5 }))
    .map(([n, k]): Field => ({ text: `${n}#${k}`, matches: ({ weekday, day }) => weekday === n && Math.ceil(day / 7) === k })),
  fc.integer({ min: 0, max: 6 }).map(
    (n): Field => ({
      text: `${n}L`,
      matches: ({ weekday, day, lastDay }) => weekday === n && day > lastDay - 7,
    }),
  ),
);
const either = (items: Field[]): Field => ({
  text: items.map(({ text }) => text).join(','),
  matches: (day) => items.some((item) => item.matches(day)),
});
const restricted = (item: fc.Arbitrary<Field>) => fc.array(item, { minLength: 1, maxLength: 4 }).map(either);
const open: fc.Arbitrary<Field> = fc.oneof(
  fc.constantFrom('*', '?').map((text): Field => ({ text, matches: () => true })),
  fc.integer({ min: 1, max: 7 }).map((n): Field => ({ text: `*/${n}`, matches: ({ day }) => (day - 1) % n === 0 })),
);
const openWeek: fc.Arbitrary<Field> = fc.oneof(
  fc.constantFrom('*', '?').map((text): Field => ({ text, matches: () => true })),
  fc.integer({ min: 1, max: 7 }).map((n): Field => ({ text: `*/${n}`, matches: ({ weekday }) => weekday % n === 0 })),
);
const field = (one: fc.Arbitrary<Field>, all: fc.Arbitrary<Field>) =>
  fc.oneof(
    restricted(one).map((item) => ({ ...item, open: false })),
    all.map((item) => ({ ...item, open: true })),
  );

it('any combination of day fields means the days its definition says', () => {
  fc.assert(
    fc.property(
      field(monthDay, open),
      field(weekDay, openWeek),
      fc.integer({ min: 2023, max: 2090 }),
      (ofMonth, ofWeek, year) => {
        const from = Date.UTC(year, 0, 1) - 1;
        const to = Date.UTC(year + 2, 0, 1) - 1;
        const both = ofMonth.open || ofWeek.open;
        const expected: string[] = [];
        for (let local = from + 1; local <= to; local += 24 * 3600_000) {
          const day = oracleDay(local);
          const hit = [ofMonth.matches(day), ofWeek.matches(day)];
          if (both ? hit.every(Boolean) : hit.some(Boolean)) expected.push(new Date(local).toISOString());
        }
        // What matches on no day of two years may match in another, or never: that is the refusal's test.
        if (expected.length === 0) return;
        const schedule = cron(`0 0 ${ofMonth.text} * ${ofWeek.text}`);
        const found: string[] = [];
        for (let fire = nextFire(schedule, from); fire !== null && fire <= to; fire = nextFire(schedule, fire)) {
          found.push(new Date(fire).toISOString());
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
