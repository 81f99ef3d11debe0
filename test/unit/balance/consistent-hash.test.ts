import { type Candidate, newBalanceState } from '../../../src/decisions/balance/candidate.js';
import { chooseWorkers } from '../../../src/decisions/balance/choose-workers.js';

const KEYS = Array.from({ length: 10_000 }, (_, n) => `customer-${n}`);

const candidate = (workerId: string, over: Partial<Candidate> = {}): Candidate => ({
  workerId,
  incarnation: `${workerId}-1`,
  active: 0,
  queued: 0,
  available: 1_000_000,
  slots: 10,
  avgCostMs: 0,
  cpuIdlePercent: 100,
  warmth: 1,
  zone: null,
  weight: 100,
  ...over,
});
const workers = (count: number): Candidate[] => Array.from({ length: count }, (_, n) => candidate(`w${n}`));
const choose = (candidates: Candidate[], keys = KEYS, zone?: string) =>
  chooseWorkers(keys.length, candidates, 'consistent_hash', newBalanceState(), Math.random, { keys, zone }).map(
    (pick) => pick?.workerId ?? null,
  );
const share = (picks: (string | null)[], workerId: string) => picks.filter((pick) => pick === workerId).length / picks.length;
const moved = (before: (string | null)[], after: (string | null)[]) =>
  before.filter((pick, i) => pick !== after[i]).length / before.length;

describe('consistent hash', () => {
  it.each([2, 3, 5, 10, 50])('moves at most 1/n and a tenth of the keys when one of %i workers leaves, and only its own', (n) => {
    const before = choose(workers(n));
    const after = choose(workers(n).slice(0, -1));
    expect(moved(before, after)).toBeLessThanOrEqual(1 / n + 0.1);
    for (const [i, pick] of before.entries()) if (pick !== `w${n - 1}`) expect(after[i]).toBe(pick);
  });

  it('gives a key to the same worker whatever the order of workers and whatever else is asked', () => {
    const all = choose(workers(7));
    expect(choose(workers(7).reverse())).toEqual(all);
    expect(choose(workers(7), [KEYS[77] as string])).toEqual([all[77]]);
  });

  it('spreads keys by weight', () => {
    const picks = choose([candidate('small', { weight: 50 }), candidate('usual'), candidate('large', { weight: 250 })]);
    expect(share(picks, 'small')).toBeCloseTo(50 / 400, 1);
    expect(share(picks, 'usual')).toBeCloseTo(100 / 400, 1);
    expect(share(picks, 'large')).toBeCloseTo(250 / 400, 1);
  });

  it('takes three tenths of its keys from a busy worker and moves no others', () => {
    const before = choose(workers(4));
    const after = choose([...workers(3), candidate('w3', { cpuIdlePercent: 10 })]);
    const left = share(after, 'w3') / share(before, 'w3');
    expect(left).toBeGreaterThan(0.6);
    expect(left).toBeLessThan(0.8);
    for (const [i, pick] of before.entries()) if (pick !== 'w3') expect(after[i]).toBe(pick);
  });

  it('goes on to the next worker on the ring when the key’s own has no room, which is where its keys go when it leaves', () => {
    const [first, ...rest] = workers(5) as [Candidate, ...Candidate[]];
    const withRoom = choose([{ ...first, available: 10 }, ...rest]);
    expect(withRoom.filter((pick) => pick === 'w0')).toHaveLength(10);
    const without = choose(rest);
    for (const [i, pick] of withRoom.entries()) if (pick !== 'w0') expect(pick).toBe(without[i]);
  });

  it('leaves tasks without a worker when nobody has room', () => {
    expect(choose([candidate('w0', { available: 2 })], KEYS.slice(0, 4))).toEqual(['w0', 'w0', null, null]);
  });
});

describe('a preferred zone', () => {
  it.each(['equal_cost', 'round_robin', 'random', 'consistent_hash'] as const)(
    'is used up first by %s, then the others',
    (routing) => {
      const all = [
        candidate('near1', { zone: 'a', available: 3 }),
        candidate('near2', { zone: 'a', available: 3 }),
        candidate('far', { zone: 'b', available: 3 }),
      ];
      const keys = KEYS.slice(0, 10);
      const picks = chooseWorkers(10, all, routing, newBalanceState(), Math.random, { zone: 'a', keys }).map(
        (p) => p?.workerId ?? null,
      );
      expect(picks.slice(0, 3)).not.toContain('far');
      expect(picks.filter((pick) => pick?.startsWith('near'))).toHaveLength(6);
      expect(picks.filter((pick) => pick === 'far')).toHaveLength(3);
      expect(picks.filter((pick) => pick === null)).toHaveLength(1);
    },
  );

  it('that nobody is in changes nothing', () => {
    expect(choose(workers(3), KEYS, 'nowhere')).toEqual(choose(workers(3)));
  });
});
