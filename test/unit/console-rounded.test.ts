import { addingUp, percentText } from '../../console/src/lib/rounded.js';

describe('a part of a whole', () => {
  it.each<[number, number, number, string]>([
    [2, 9, 1, '22.2 %'],
    [7, 9, 1, '77.8 %'],
    [2, 3, 1, '66.7 %'],
    [1, 2, 1, '50 %'],
    [2, 9, 0, '22 %'],
    [0, 9, 1, '0 %'],
    [9, 9, 1, '100 %'],
    [0, 0, 1, '0 %'],
  ])('%d of %d, to %d digits, is rounded once and to the nearest: %s', (part, whole, digits, text) => {
    expect(percentText(part, whole, digits)).toBe(text);
  });

  it('that is next to nothing is not told as nothing, nor what is next to all as all', () => {
    expect(percentText(1, 100_000)).toBe('< 0.1 %');
    expect(percentText(99_999, 100_000)).toBe('> 99.9 %');
    expect(percentText(1, 1_000, 0)).toBe('< 1 %');
    expect(percentText(999, 1_000, 0)).toBe('> 99 %');
  });
});

describe('numbers that are shown beside their sum', () => {
  it.each<[number[], string[], string]>([
    // Each by itself would be 20.0 + 3.8 + 8.7, one tenth less than the sum.
    [[20, 3.84, 8.74], ['20.0', '3.8', '8.8'], '32.6'],
    // And here one tenth more: 0.1 + 0.1 + 0.1.
    [[0.06, 0.06, 0.06], ['0.0', '0.1', '0.1'], '0.2'],
    [[20, 3.9, 10], ['20.0', '3.9', '10.0'], '33.9'],
    [[], [], '0.0'],
  ])('%j add up to it as they are shown', (terms, shown, sum) => {
    expect(addingUp(terms, 1)).toEqual({ terms: shown, sum });
  });

  it('add up to the nearest of the sum, each within one of its last digit, whatever they are', () => {
    let seed = 42;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (seed / 2_147_483_648) * 100;
    };
    for (let n = 0; n < 2_000; n++) {
      const terms = [random(), random(), random()];
      const { terms: shown, sum } = addingUp(terms, 1);
      const total = terms.reduce((all, term) => all + term, 0);
      expect(sum).toBe(total.toFixed(1));
      expect(shown.reduce((all, term) => all + Number(term), 0).toFixed(1)).toBe(sum);
      for (const [i, term] of terms.entries()) expect(Math.abs(Number(shown[i]) - term)).toBeLessThan(0.1);
    }
  });
});
