import fc from 'fast-check';
import { dueAt, nextFire, previewFires } from '../../../src/decisions/schedule/next-fire.js';
import type { Schedule } from '../../../src/decisions/schedule/schedule.js';
import { accepted, cron, fires } from '../../support/schedules.js';

const at = (text: string) => Date.parse(text);
const YEAR = 365 * 24 * 3600_000;
const instant = fc.integer({ min: at('2025-06-01T00:00:00Z'), max: at('2027-06-01T00:00:00Z') });
const zone = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Antarctica/Troll',
  'Asia/Shanghai',
  'Africa/Casablanca',
);
const list = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 1, max }).map((n) => `*/${n}`),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(',')),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((ends) => ends.join('-')),
  );
const dst = fc.record({ gap: fc.constantFrom('first_valid', 'skip'), overlap: fc.constantFrom('once', 'twice') });
const anyCron = fc
  .tuple(
    list(0, 59),
    list(0, 59),
    list(0, 23),
    fc.constantFrom('*', 'L', '1,15', '*/2', '?'),
    fc.constantFrom('*', 'MON-FRI', '0'),
  )
  .map(([s, m, h, dom, dow]) => `${s} ${m} ${h} ${dom} * ${dow}`);
const anySchedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ kind: fc.constant('cron'), expression: anyCron, timeZone: zone, dst }).map((input) => accepted(input)),
  fc
    .record({ kind: fc.constant('every'), everyMs: fc.integer({ min: 1000, max: 10 ** 9 }), anchorAt: instant.map(iso) })
    .map((input) => accepted(input)),
  fc.record({ kind: fc.constant('once'), at: instant.map(iso) }).map((input) => accepted(input)),
);

describe('any schedule', () => {
  it('fires later each time, from any moment between two fires the same, and as its preview says', () => {
    fc.assert(
      fc.property(anySchedule, instant, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (schedule, from, part) => {
        const preview = previewFires(schedule, from, 12);
        let before = from;
        for (const fire of preview) {
          expect(fire).toBeGreaterThan(before);
          expect(nextFire(schedule, before)).toBe(fire);
          expect(nextFire(schedule, before + Math.floor((fire - before) * part))).toBe(fire);
          expect(nextFire(schedule, fire - 1)).toBe(fire);
          before = fire;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('fires never before startAt nor after endAt, and between them as without', () => {
    fc.assert(
      fc.property(anySchedule, instant, instant, instant, (schedule, from, a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        const limited = { ...schedule, startAt: iso(start), endAt: iso(end) };
        const expected = previewFires(schedule, Math.max(from, start - 1), 8).filter((fire) => fire <= end);
        expect(previewFires(limited, from, 8)).toEqual(expected);
        for (const fire of expected) expect(fire >= start && fire <= end).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is stored in a form that is accepted again as it is', () => {
    fc.assert(fc.property(anySchedule, (schedule) => expect(accepted(schedule)).toEqual(schedule)));
  });
});

describe('every', () => {
  it('fires at its anchor and a whole number of intervals later, whatever the clocks do', () => {
    const schedule = accepted({ kind: 'every', everyMs: 90_000, anchorAt: '2026-01-01T00:00:10Z' });
    expect(fires(schedule, '2025-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T00:00:10Z', '2026-01-01T00:01:40Z']);
    expect(fires(schedule, '2026-01-01T00:01:40Z', 1)).toEqual(['2026-01-01T00:03:10Z']);
  });

  it('without an anchor counts from startAt, else from the epoch', () => {
    const daily = { kind: 'every', everyMs: 24 * 3600_000 };
    expect(fires(accepted({ ...daily, startAt: '2026-01-01T05:00:00Z' }), '2026-03-03T00:00Z', 1)).toEqual([
      '2026-03-03T05:00:00Z',
    ]);
    expect(fires(accepted(daily), '2026-03-03T00:00Z', 1)).toEqual(['2026-03-04T00:00:00Z']);
  });
});

describe('after', () => {
  const schedule = accepted({ kind: 'after', delayMs: 5_000 });

  it('fires a delay after the last task ended', () => {
    expect(nextFire(schedule, 1_000_000, { lastEndedAt: 1_002_000 })).toBe(1_007_000);
  });
  it('fires at once if the delay is over', () => {
    expect(nextFire(schedule, 1_000_000, { lastEndedAt: 900_000 })).toBe(1_000_001);
  });
  it('fires first a delay after now, or at startAt', () => {
    expect(nextFire(schedule, 1_000_000)).toBe(1_005_000);
    expect(nextFire({ ...schedule, startAt: iso(2_000_000) }, 1_000_000)).toBe(2_000_000);
    expect(nextFire({ ...schedule, startAt: iso(500_000) }, 1_000_000)).toBe(1_000_001);
  });
  it('ends at endAt', () => {
    expect(nextFire({ ...schedule, endAt: iso(1_004_999) }, 1_000_000)).toBeNull();
  });
  it('previews only the fire that is known', () => {
    expect(previewFires(schedule, 1_000_000, 10)).toEqual([1_005_000]);
  });
});

it('once fires once', () => {
  const schedule = accepted({ kind: 'once', at: '2026-01-01T00:00:00Z' });
  expect(previewFires(schedule, 0, 10)).toEqual([at('2026-01-01T00:00:00Z')]);
  expect(nextFire(schedule, at('2026-01-01T00:00:00Z'))).toBeNull();
});

it.each([{ kind: 'event', name: 'x' }, { kind: 'upstream' }, { kind: 'manual' }])('%j has no times', (input) => {
  expect(nextFire(accepted(input), 0)).toBeNull();
});

it('a window ends at an instant that counts', () => {
  const schedule = cron('@hourly', { startAt: '2026-01-01T05:00:00Z', endAt: '2026-01-01T07:00:00Z' });
  expect(fires(schedule, '2025-01-01T00:00Z', 9)).toEqual([
    '2026-01-01T05:00:00Z',
    '2026-01-01T06:00:00Z',
    '2026-01-01T07:00:00Z',
  ]);
});

it.each([
  { kind: 'every', everyMs: 366 * 24 * 3600 * 1000 },
  { kind: 'every', everyMs: 1000, startAt: '9999-12-31T23:59:58.500Z' },
  { kind: 'after', delayMs: 1, startAt: '9999-12-31T23:59:59.999Z' },
  { kind: 'once', at: '9999-12-31T23:59:59.999Z' },
])('%j has no fires after the year 9999, which RFC 3339 cannot write', (input) => {
  const schedule = accepted(input);
  const last = at('9999-12-31T23:59:59.999Z');
  const preview = previewFires(schedule, at('9999-01-01T00:00:00Z'), 5);
  expect(preview.length).toBeLessThan(5);
  expect(preview.filter((fire) => fire > last)).toEqual([]);
  expect(nextFire(schedule, last)).toBeNull();
  expect(nextFire(schedule, last, { lastEndedAt: last })).toBeNull();
});

it('a fire at the last instant of the year 9999 is one', () => {
  const startAt = '9999-12-31T23:59:59.999Z';
  expect(fires(accepted({ kind: 'every', everyMs: 1000, startAt }), '2026-01-01T00:00:00Z', 5)).toEqual([startAt]);
});

it('a cron ends with the year 2099', () => {
  expect(nextFire(cron('0 0 * * *'), at('2099-12-31T00:00:00Z'))).toBeNull();
  expect(nextFire(cron('0 0 29 2 *'), at('2096-02-29T00:00:00Z') - YEAR)).toBe(at('2096-02-29T00:00:00Z'));
});

it('jitter moves the due time within its bounds and never before the fire', () => {
  expect([0, 0.5, 0.999_999].map((random) => dueAt(1_000, 10, random))).toEqual([1_000, 1_005, 1_010]);
  expect(dueAt(1_000, 0, 0.999)).toBe(1_000);
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
