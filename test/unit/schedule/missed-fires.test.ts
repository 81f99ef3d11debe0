import fc from 'fast-check';
import { type MisfirePolicy, missedFires } from '../../../src/decisions/schedule/missed-fires.js';
import { nextFire } from '../../../src/decisions/schedule/next-fire.js';
import { accepted, cron } from '../../support/schedules.js';

const minutely = cron('* * * * *');
const base = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const minute = (n: number) => base + n * MINUTE;
const minutes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => minute(from + i));
const window = (policy: MisfirePolicy['policy'], windowMs = 10 * MINUTE): MisfirePolicy => ({ policy, windowMs });

describe('nothing was missed', () => {
  it.each(['fire_once', 'skip', 'fire_all'] as const)('%s fires what is on time', (policy) => {
    expect(missedFires(minutely, base, minute(1) + 4_000, window(policy))).toEqual({
      fire: [minute(1)],
      skipped: null,
      passedOver: null,
      next: minute(2),
    });
  });

  it('before the next fire there is nothing to do', () => {
    expect(missedFires(minutely, base, minute(1) - 1, window('fire_all'))).toEqual({
      fire: [],
      skipped: null,
      passedOver: null,
      next: minute(1),
    });
  });
});

describe('an outage within the window', () => {
  const now = minute(8) + 30_000;
  const passed = (last: number, count: number) => ({ count, atLeast: false, first: minute(1), last: minute(last) });

  it.each([
    ['fire_once', [minute(8)], passed(7, 7)],
    ['skip', [], passed(8, 8)],
    ['fire_all', minutes(1, 8), null],
  ] as const)('%s', (policy, fire, passedOver) => {
    expect(missedFires(minutely, base, now, window(policy))).toEqual({ fire, skipped: null, passedOver, next: minute(9) });
  });

  it('leaves the fire that is on time to itself', () => {
    const nowOnTime = minute(8) + 1_000;
    expect(missedFires(minutely, base, nowOnTime, window('skip')).fire).toEqual([minute(8)]);
    expect(missedFires(minutely, base, nowOnTime, window('fire_once')).fire).toEqual([minute(7), minute(8)]);
  });
});

describe('an outage longer than the window', () => {
  const now = minute(60) + 30_000;

  it('tells of the older fires in one record', () => {
    expect(missedFires(minutely, base, now, window('fire_once'))).toEqual({
      fire: [minute(60)],
      skipped: { count: 50, atLeast: false, first: minute(1), last: minute(50) },
      passedOver: { count: 9, atLeast: false, first: minute(51), last: minute(59) },
      next: minute(61),
    });
  });

  it('fires a fire exactly as old as the window', () => {
    const { fire, skipped } = missedFires(minutely, base, minute(60), window('fire_all'));
    expect(fire).toEqual(minutes(50, 60));
    expect(skipped).toMatchObject({ count: 49, last: minute(49) });
  });

  it('a job once fires within the window and is skipped after it', () => {
    const once = accepted({ kind: 'once', at: new Date(minute(1)).toISOString() });
    expect(missedFires(once, base, minute(11), window('fire_once'))).toMatchObject({
      fire: [minute(1)],
      skipped: null,
      next: null,
    });
    expect(missedFires(once, base, minute(12), window('fire_once'))).toMatchObject({
      fire: [],
      skipped: { count: 1, first: minute(1), last: minute(1) },
      next: null,
    });
  });
});

it('fire_all makes up for the latest hundred; the record tells of the rest', () => {
  const verdict = missedFires(minutely, base, minute(300) + 30_000, window('fire_all', 1_000 * MINUTE));
  expect(verdict.fire).toEqual(minutes(201, 300));
  expect(verdict.skipped).toEqual({ count: 200, atLeast: false, first: minute(1), last: minute(200) });
});

it('a month of missed seconds is told without counting them all', () => {
  const month = 30 * 24 * 3600_000;
  const verdict = missedFires(cron('* * * * * *'), base, base + month, window('fire_once'));
  expect(verdict.skipped).toEqual({ count: 2_000, atLeast: true, first: base + 1_000, last: base + month - 10 * MINUTE - 1_000 });
  expect(verdict.fire.at(-1)).toBe(base + month);
});

it.each(['fire_once', 'skip', 'fire_all'] as const)('a fixed delay goes on however late it is, under %s', (policy) => {
  const after = accepted({ kind: 'after', delayMs: MINUTE });
  const ended = { lastEndedAt: base + 1_000 };
  expect(missedFires(after, base, minute(600), window(policy), ended)).toEqual({
    fire: [minute(1) + 1_000],
    skipped: null,
    passedOver: null,
    next: null,
  });
  expect(missedFires(after, base, base + 2_000, window(policy), ended)).toMatchObject({ fire: [], next: minute(1) + 1_000 });
});

it('every due fire is fired, skipped or passed over, exactly once', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('* * * * *', '*/7 * * * *', '0 */3 * * *', '*/20 * * * * *', '30 2 * * *'),
      fc.constantFrom('fire_once', 'skip', 'fire_all'),
      fc.integer({ min: 0, max: 300 * MINUTE }),
      fc.integer({ min: 0, max: 400 * MINUTE }),
      fc.integer({ min: 0, max: 20 }),
      (expression, policy, outageMs, windowMs, cap) => {
        const schedule = cron(expression, { timeZone: 'America/New_York' });
        const from = Date.parse('2026-03-08T06:00:00Z');
        const now = from + outageMs;
        const due: number[] = [];
        for (let at = nextFire(schedule, from); at !== null && at <= now; at = nextFire(schedule, at)) due.push(at);
        const { fire, skipped, passedOver, next } = missedFires(schedule, from, now, { policy, windowMs, cap });
        expect(fire.length + (skipped?.count ?? 0) + (passedOver?.count ?? 0)).toBe(due.length);
        expect(due.slice(due.length - fire.length)).toEqual(fire);
        const late = fire.filter((at) => now - at > 5_000);
        expect(late.length).toBeLessThanOrEqual({ fire_once: 1, skip: 0, fire_all: cap }[policy]);
        for (const at of late) expect(now - at).toBeLessThanOrEqual(windowMs);
        expect(next).toBe(nextFire(schedule, now));
      },
    ),
    { numRuns: 200 },
  );
});
