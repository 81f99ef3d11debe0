import fc from 'fast-check';
import { nextFire, previewFires } from '../../../src/decisions/schedule/next-fire.js';
import { previousFire } from '../../../src/decisions/schedule/previous-fire.js';
import { isWithin } from '../../../src/decisions/schedule/window.js';
import { accepted } from '../../support/schedules.js';

const at = Date.parse;
const CRON = { kind: 'cron', timeZone: 'UTC' };

describe('the fire before a fire', () => {
  it.each([
    [{ ...CRON, expression: '0 0 * * *' }, '2026-03-01T00:00:00Z', '2026-02-28T00:00:00Z'],
    [{ ...CRON, expression: '*/5 9-17 * * 1-5' }, '2026-03-02T09:00:00Z', '2026-02-27T17:55:00Z'],
    [{ ...CRON, expression: '0 0 29 2 *' }, '2028-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    [{ ...CRON, expression: '0 2 * * *', timeZone: 'Europe/Berlin' }, '2026-03-30T00:00:00Z', '2026-03-29T01:00:00Z'],
    [{ kind: 'every', everyMs: 1_000 }, '2026-03-01T00:00:01Z', '2026-03-01T00:00:00Z'],
    [{ kind: 'every', everyMs: 90_000, startAt: '2026-03-01T00:00:00Z' }, '2026-03-01T00:00:00Z', null],
    [{ kind: 'once', at: '2026-03-01T00:00:00Z' }, '2026-03-01T00:00:00Z', null],
  ])('of %j at %s is %s', (schedule, fire, expected) => {
    expect(previousFire(accepted(schedule), at(fire))).toBe(expected === null ? null : at(expected));
  });

  it('is the one that the next of which it is', () => {
    const expressions = ['*/7 * * * *', '0 3 * * 1', '15 8-18/3 1,15 * *', '0 0 L * *', '30 1 * * *'];
    const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe'];
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2026-12-31T00:00:00Z') }),
        (expression, timeZone, from) => {
          const schedule = accepted({ kind: 'cron', expression, timeZone });
          const [first, second] = previewFires(schedule, from, 2) as [number, number];
          expect(previousFire(schedule, second)).toBe(first);
          expect(nextFire(schedule, first)).toBe(second);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the window of a schedule', () => {
  const window = { startAt: '2026-01-01T00:00:00.000Z', endAt: '2026-02-01T00:00:00.000Z' };
  it.each([
    ['2025-12-31T23:59:59.999Z', false],
    ['2026-01-01T00:00:00Z', true],
    ['2026-02-01T00:00:00Z', true],
    ['2026-02-01T00:00:00.001Z', false],
  ])('holds %s: %s', (instant, expected) => {
    expect(isWithin(window, at(instant))).toBe(expected);
    expect(isWithin({}, at(instant))).toBe(true);
  });
});
