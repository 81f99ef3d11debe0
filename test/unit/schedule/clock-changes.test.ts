import fc from 'fast-check';
import { nextFire } from '../../../src/decisions/schedule/next-fire.js';
import type { DaylightSaving } from '../../../src/decisions/schedule/schedule.js';
import { everyDay, type OracleCron, oracleFires, range } from '../../support/fire-oracle.js';
import { cron } from '../../support/schedules.js';

/** Both changes of 2026; in Shanghai and Kathmandu, which have none, the nights of the American ones. */
const ZONES: [string, string, string][] = [
  ['America/New_York', '2026-03-08', '2026-11-01'],
  ['Europe/Berlin', '2026-03-29', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-04', '2026-10-03'],
  ['America/Santiago', '2026-04-05', '2026-09-06'],
  ['Antarctica/Troll', '2026-03-29', '2026-10-25'],
  ['Asia/Shanghai', '2026-03-08', '2026-11-01'],
  ['Asia/Kathmandu', '2026-03-08', '2026-11-01'],
];
const POLICIES: DaylightSaving[] = [
  { gap: 'first_valid', overlap: 'once' },
  { gap: 'first_valid', overlap: 'twice' },
  { gap: 'skip', overlap: 'once' },
  { gap: 'skip', overlap: 'twice' },
];
const all = range(0, 59);
const fixed = (expression: string, minutes: number[], hours: number[]): OracleCron => ({
  expression,
  minutes,
  hours,
  day: everyDay,
  realTime: false,
});
const real = (expression: string, minutes: number[], hours: number[]): OracleCron => ({
  ...fixed(expression, minutes, hours),
  realTime: true,
});
const EXPRESSIONS: OracleCron[] = [
  ...[0, 1, 2, 3, 23].flatMap((hour) => [0, 15, 30].map((minute) => fixed(`${minute} ${hour} * * *`, [minute], [hour]))),
  fixed('*/15 1 * * *', range(0, 59, 15), [1]),
  fixed('*/15 2 * * *', range(0, 59, 15), [2]),
  fixed('* 0 * * *', all, [0]),
  fixed('30 1-3 * * *', [30], [1, 2, 3]),
  fixed('0,45 22-2 * * *', [0, 45], [22, 23, 0, 1, 2]),
  fixed('10 0,2,4 * * *', [10], [0, 2, 4]),
  real('*/5 * * * *', range(0, 59, 5), range(0, 23)),
  real('0 * * * *', [0], range(0, 23)),
  real('30 * * * *', [30], range(0, 23)),
  real('*/15 * * * *', range(0, 59, 15), range(0, 23)),
  real('*/30 * * * *', range(0, 59, 30), range(0, 23)),
  real('15 0-23 * * *', [15], range(0, 23)),
  real('30 */2 * * *', [30], range(0, 23, 2)),
  real('30 1/2 * * *', [30], range(1, 23, 2)),
  real('0 0-6/3 * * *', [0], [0, 3, 6]),
];

describe.each(ZONES)('in %s', (timeZone, ...days) => {
  it.each(EXPRESSIONS.map((oracle) => [oracle.expression, oracle] as const))('%s fires as the clocks say', (_, oracle) => {
    for (const day of days) {
      const from = Date.parse(`${day}T00:00:00Z`) - 30 * 3600_000;
      const to = from + 66 * 3600_000;
      for (const dst of POLICIES) {
        const schedule = cron(oracle.expression, { timeZone, dst });
        const found: number[] = [];
        for (let at = nextFire(schedule, from); at !== null && at <= to; at = nextFire(schedule, at)) found.push(at);
        expect({ dst, fires: iso(found) }).toEqual({ dst, fires: iso(oracleFires(oracle, timeZone, dst, from, to)) });
      }
    }
  });

  it.each(['30 2 * * *', '30 1 * * *', '30 0 * * *', '*/30 * * * *'])('%s has the same next fire from any moment', (text) => {
    const schedule = cron(text, { timeZone });
    for (const day of days) {
      const from = Date.parse(`${day}T00:00:00Z`) - 30 * 3600_000;
      const chain: number[] = [];
      for (let at = nextFire(schedule, from); at !== null && at <= from + 96 * 3600_000; at = nextFire(schedule, at))
        chain.push(at);
      for (let at = from; at < from + 60 * 3600_000; at += 599_999) {
        expect(nextFire(schedule, at)).toBe(chain.find((fire) => fire > at));
      }
    }
  });
});

/** Zones whose clocks change at other hours, by other spans or on other days than those above. */
const ODD_ZONES: [string, string, string][] = [
  ['Africa/Casablanca', '2026-02-15', '2026-03-22'],
  ['Africa/Cairo', '2026-04-24', '2026-10-30'],
  ['America/Havana', '2026-03-08', '2026-11-01'],
  ['America/St_Johns', '2026-03-08', '2026-11-01'],
  ['Asia/Beirut', '2026-03-29', '2026-10-25'],
  ['Europe/Dublin', '2026-03-29', '2026-10-25'],
  ['Pacific/Chatham', '2026-04-05', '2026-09-27'],
];

interface Field {
  text: string;
  values: number[];
  rhythmic: boolean;
}
/** A field from 0 to `last`: one value, a range that may go over the end, a list, a step, or the wildcard. */
function anyField(last: number): fc.Arbitrary<Field> {
  const value = fc.nat(last);
  const chosen = (text: string, values: number[]): Field => ({ text, values, rhythmic: new Set(values).size > last });
  return fc.oneof(
    value.map((at) => chosen(`${at}`, [at])),
    fc.tuple(value, value).map(([from, to]) => {
      const values = to < from ? [...range(from, last), ...range(0, to)] : range(from, to);
      return chosen(`${from}-${to}`, values);
    }),
    fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => chosen(values.join(','), values)),
    fc.tuple(value, fc.integer({ min: 1, max: last })).map(([from, step]) => {
      return { text: `${from}/${step}`, values: range(from, last, step), rhythmic: true };
    }),
    fc.constant({ text: '*', values: range(0, last), rhythmic: true }),
  );
}

it('any minutes and hours fire as the clocks say, in any zone, by any policy', () => {
  const place = fc.constantFrom(
    ...[...ZONES, ...ODD_ZONES].flatMap(([zone, ...days]) => days.map((day) => [zone, day] as const)),
  );
  fc.assert(
    fc.property(place, anyField(59), anyField(23), fc.constantFrom(...POLICIES), ([timeZone, day], minute, hour, dst) => {
      const oracle: OracleCron = {
        ...fixed(`${minute.text} ${hour.text} * * *`, minute.values, hour.values),
        realTime: hour.rhythmic,
      };
      const from = Date.parse(`${day}T00:00:00Z`) - 30 * 3600_000;
      const to = from + 66 * 3600_000;
      const schedule = cron(oracle.expression, { timeZone, dst });
      const found: number[] = [];
      for (let at = nextFire(schedule, from); at !== null && at <= to; at = nextFire(schedule, at)) found.push(at);
      expect(iso(found)).toEqual(iso(oracleFires(oracle, timeZone, dst, from, to)));
    }),
    { numRuns: 100 },
  );
});

const iso = (fires: number[]) => fires.map((at) => new Date(at).toISOString());
