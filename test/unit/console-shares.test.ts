import { shareText } from '../../console/src/lib/shares.js';

describe('a part in percent', () => {
  it.each([
    [2 / 9, '22.2 %'],
    [7 / 9, '77.8 %'],
    [0.5, '50 %'],
    [0, '0 %'],
    [1, '100 %'],
    [1 / 100_000, '0.1 %'],
    [99_999 / 100_000, '99.9 %'],
  ])('%f is rounded to the nearest tenth: %s', (share, text) => {
    expect(shareText(share)).toBe(text);
  });
});
