import fc from 'fast-check';
import { burstOf, nextStartInMs, type RateBucket, refilled, spent, startsAllowed } from '../../src/decisions/dispatch-rate.js';

/** Starts as a holder would: at each of the instants as many as are allowed. */
function startsAt(instants: readonly number[], perSecond: number, epochAt: (now: number) => number): number[] {
  let bucket: RateBucket | undefined;
  const starts: number[] = [];
  for (const now of instants) {
    bucket = refilled(bucket, perSecond, epochAt(now), now);
    const allowed = startsAllowed(bucket);
    for (let i = 0; i < allowed; i++) starts.push(now);
    bucket = spent(bucket, allowed);
  }
  return starts;
}

describe("a group's starts per second", () => {
  const instants = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }).map((list) => list.sort((a, b) => a - b));

  it('never exceed the rate and its burst in any second, over whatever changes of the holder', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 20_000 }), (at, rate, handOverAt) => {
        const starts = startsAt(at, rate, (now) => (now < handOverAt ? 1 : 2));
        for (const start of starts) {
          const inSecond = starts.filter((other) => other >= start && other < start + 1_000).length;
          expect(inSecond).toBeLessThanOrEqual(rate + burstOf(rate));
        }
      }),
    );
  });

  it('use the whole rate when asked often', () => {
    const often = Array.from({ length: 1_001 }, (_, i) => i * 10);
    expect(startsAt(often, 7, () => 1).length).toBe(70);
    expect(startsAt(often, 100, () => 1).length).toBe(1_000);
  });

  it('begin with none after a hand-over', () => {
    expect(startsAllowed(refilled({ epoch: 1, tokens: 5, at: 0 }, 50, 2, 10_000))).toBe(0);
  });

  it('tell when the next one may be', () => {
    expect(nextStartInMs({ epoch: 1, tokens: 0, at: 0 }, 2)).toBe(500);
    expect(nextStartInMs({ epoch: 1, tokens: 0.5, at: 0 }, 2)).toBe(250);
    expect(nextStartInMs({ epoch: 1, tokens: 1, at: 0 }, 2)).toBe(0);
  });
});
