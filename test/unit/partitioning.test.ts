import { fairShare, partitionOf, pickOrder } from '../../src/decisions/partitioning.js';

describe('partitioning', () => {
  it('puts a group into the slice its CRC-32 says', () => {
    expect(['123456789', 'default', ''].map(partitionOf)).toEqual([0xcbf43926 % 16, partitionOf('default'), 0]);
  });

  it('shares sixteen partitions evenly', () => {
    expect([0, 1, 2, 3, 5, 16, 40].map(fairShare)).toEqual([16, 16, 8, 6, 4, 1, 1]);
  });

  it('orders by priority first, then by the instant, exactly', () => {
    const now = Date.now();
    expect(pickOrder(9, now + 1e9)).toBeLessThan(pickOrder(5, now));
    expect(pickOrder(5, now)).toBeLessThan(pickOrder(5, now + 1));
    expect(Number.isSafeInteger(pickOrder(1, now))).toBe(true);
  });
});
