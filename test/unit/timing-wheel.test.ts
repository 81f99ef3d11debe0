import fc from 'fast-check';
import { TimingWheel } from '../../src/decisions/timing-wheel.js';

describe('the timing wheel', () => {
  it('gives every entry once, never early, earliest first, however the time moves on', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 300 }),
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 40 }),
        (dues, moves) => {
          const start = 1_700_000_000_123;
          const wheel = new TimingWheel(10_000, start);
          for (const [i, due] of dues.entries()) expect(wheel.add({ id: `t${i}`, dueAt: start + due })).toBe(true);
          const taken = new Set<string>();
          let now = start;
          for (const move of [...moves, 20_000]) {
            now += move;
            const due = wheel.takeDue(now, 1_000);
            due.forEach((entry, i) => {
              expect(entry.dueAt).toBeLessThanOrEqual(now);
              expect(entry.dueAt).toBeGreaterThanOrEqual(due[i - 1]?.dueAt ?? 0);
              expect(taken.has(entry.id)).toBe(false);
              taken.add(entry.id);
            });
            const next = wheel.nextDueAt();
            if (next !== undefined) expect(next).toBeGreaterThan(now);
          }
          expect(taken.size).toBe(dues.length);
        },
      ),
    );
  });

  it('leaves what is beyond the horizon to the next reading', () => {
    const wheel = new TimingWheel(1_000, 0);
    expect(wheel.add({ id: 'far', dueAt: 5_000 })).toBe(false);
    expect(wheel.size).toBe(0);
  });

  it('gives what is overdue at once', () => {
    const wheel = new TimingWheel(1_000, 50_000);
    wheel.add({ id: 'late', dueAt: 10 });
    expect(wheel.takeDue(50_000, 10).map(({ id }) => id)).toEqual(['late']);
  });

  it('takes no more than asked and keeps the rest', () => {
    const wheel = new TimingWheel(1_000, 0);
    for (let i = 0; i < 5; i++) wheel.add({ id: `t${i}`, dueAt: i });
    expect(wheel.takeDue(900, 2).map(({ id }) => id)).toEqual(['t0', 't1']);
    expect(wheel.takeDue(900, 10).map(({ id }) => id)).toEqual(['t2', 't3', 't4']);
  });

  it('holds an entry once, at its latest time', () => {
    const wheel = new TimingWheel(1_000, 0);
    wheel.add({ id: 't', dueAt: 100 });
    wheel.add({ id: 't', dueAt: 700 });
    expect(wheel.takeDue(500, 10)).toEqual([]);
    expect(wheel.takeDue(700, 10)).toHaveLength(1);
  });

  it('starts anew when the time is set back, and fires nothing early or in a burst', () => {
    const wheel = new TimingWheel(10_000, 3_600_000);
    wheel.add({ id: 't', dueAt: 3_601_000 });
    expect(wheel.takeDue(1_000, 10)).toEqual([]);
    expect(wheel.add({ id: 'u', dueAt: 1_500 })).toBe(true);
    expect(wheel.takeDue(1_600, 10).map(({ id }) => id)).toEqual(['u']);
  });
});
