import { noted, perSecond, rateText, type Sample } from '../../console/src/features/bulk/rate.js';

describe('how fast a bulk action goes', () => {
  it('is told from what was seen of it during the last half minute', () => {
    let seen: Sample[] = [];
    for (const [at, dealt] of [
      [1_000, 0],
      [3_000, 50],
      [5_000, 100],
    ] as const)
      seen = noted(seen, { at, dealt });
    expect(perSecond(seen)).toBe(25);
    seen = noted(seen, { at: 35_000, dealt: 100 });
    expect(perSecond(seen)).toBe(0);
    expect(seen[0]).toEqual({ at: 5_000, dealt: 100 });
  });

  it('is not told before it was seen twice', () => {
    expect(perSecond([])).toBeNull();
    expect(perSecond(noted([], { at: 5, dealt: 9 }))).toBeNull();
    expect(perSecond(noted([{ at: 5, dealt: 9 }], { at: 5, dealt: 9 }))).toBeNull();
  });

  it('is told to a digit that matters', () => {
    expect([0.04, 1.26, 12.6, 340].map(rateText)).toEqual(['0', '1.3', '13', '340']);
  });
});
