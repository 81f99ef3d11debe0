import { distinctLabels } from '../../console/src/lib/distinct-labels.js';

describe('the labels of an axis', () => {
  const forms = [(n: number) => `${Math.floor(n)}`, (n: number) => n.toFixed(1)];

  it('are as short as they can be without two saying the same', () => {
    expect(distinctLabels([1, 2, 3], forms)).toEqual(['1', '2', '3']);
    expect(distinctLabels([1, 1.5, 2], forms)).toEqual(['1.0', '1.5', '2.0']);
  });

  it('are of the most exact form if none tells all apart', () => {
    expect(distinctLabels([1.01, 1.02], forms)).toEqual(['1.0', '1.0']);
    expect(distinctLabels([], forms)).toEqual([]);
  });
});
