import { BARS, checkEnvironment, textOn } from '../../src/decisions/check-environment.js';
import { contrast } from '../../src/decisions/contrast.js';

describe('the contrast of two colours', () => {
  it.each([
    ['#ffffff', '#000000', 21],
    ['#0958d9', '#ffffff', 6.2],
    ['#1677ff', '#ffffff', 4.1],
    ['#777777', '#777777', 1],
  ])('of %s and %s is %d, whichever comes first', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 1);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });
});

describe('the colour of an environment', () => {
  it('is refused unless it is told from the bar of both themes, and then always bears text one can read', () => {
    const step = 17;
    const parts = Array.from({ length: 16 }, (_, i) => (i * step).toString(16).padStart(2, '0'));
    const taken = { yes: 0, no: 0 };
    for (const red of parts)
      for (const green of parts)
        for (const blue of parts) {
          const colour = `#${red}${green}${blue}`;
          const told = Object.values(BARS).every((bar) => contrast(colour, bar) >= 3);
          const errors = checkEnvironment({ name: 'x', colour, production: false }, '');
          expect([colour, errors.length === 0]).toEqual([colour, told]);
          if (told) expect(contrast(colour, textOn(colour))).toBeGreaterThanOrEqual(4.5);
          taken[told ? 'yes' : 'no'] += 1;
        }
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(100);
  });
});
