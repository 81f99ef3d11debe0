import { hasWholeTicks } from '../../console/src/lib/whole-ticks.js';

const of = (...values: (number | null)[]) => [{ values }];

describe('an axis has whole ticks only', () => {
  it('where all are counts: there is no half a task', () => {
    expect(hasWholeTicks(of(3, null, 0), true)).toBe(true);
    expect(hasWholeTicks(of(3, 0.5), true)).toBe(false);
  });

  it('where nothing has been measured yet: nobody is shown 0.3 ms of nothing', () => {
    expect(hasWholeTicks(of(null, null), false)).toBe(true);
    expect(hasWholeTicks([], false)).toBe(true);
    expect(hasWholeTicks(of(null, 20), false)).toBe(false);
  });
});
