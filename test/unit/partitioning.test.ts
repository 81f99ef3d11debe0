import { fairShare, partitionOf, pickOrder } from '../../src/decisions/partitioning.js';

describe('partitioning', () => {
  it('puts a group into the slice its CRC-32 says', () => {
    expect(['123456789', 'default', ''].map(partitionOf)).toEqual([0xcbf43926 % 16, partitionOf('default'), 0]);
  });

  it('shares sixteen partitions evenly: all are held, and no node without one while another has two more', () => {
    for (let count = 1; count <= 40; count++) {
      const nodes = Array.from({ length: count }, (_, n) => `n${(n * 7) % count}-${n}`);
      const shares = nodes.map((node) => fairShare(nodes, node));
      expect(shares.reduce((sum, share) => sum + share)).toBe(16);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
  });

  it('gives a node the same share whatever the order of the list, and counts one that is not on it', () => {
    expect(
      [
        ['b', 'a', 'c'],
        ['c', 'b', 'a'],
      ].map((nodes) => fairShare(nodes, 'a')),
    ).toEqual([6, 6]);
    expect(fairShare([], 'a')).toBe(16);
    expect(fairShare(['a'], 'b')).toBe(8);
  });

  it('orders by priority first, then by the instant, exactly', () => {
    const now = Date.now();
    expect(pickOrder(9, now + 1e9)).toBeLessThan(pickOrder(5, now));
    expect(pickOrder(5, now)).toBeLessThan(pickOrder(5, now + 1));
    expect(Number.isSafeInteger(pickOrder(1, now))).toBe(true);
  });
});
