import type { Routing } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { type Candidate, newBalanceState } from '../../../src/decisions/balance/candidate.js';
import { chooseWorkers } from '../../../src/decisions/balance/choose-workers.js';
import { loadOf } from '../../../src/decisions/balance/equal-cost.js';

const ROUTINGS: Routing[] = ['equal_cost', 'round_robin', 'random', 'consistent_hash'];

function candidate(workerId: string, over: Partial<Candidate> = {}): Candidate {
  return {
    workerId,
    incarnation: `${workerId}-1`,
    active: 0,
    queued: 0,
    available: 1000,
    slots: 10,
    avgCostMs: 0,
    cpuIdlePercent: 100,
    warmth: 1,
    zone: null,
    weight: 100,
    ...over,
  };
}

/** A reproducible source of numbers in [0, 1). */
function seeded(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function tally(chosen: (Candidate | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pick of chosen) counts[pick?.workerId ?? 'nobody'] = (counts[pick?.workerId ?? 'nobody'] ?? 0) + 1;
  return counts;
}

const arbitraryCandidates = fc
  .array(
    fc.record({
      active: fc.nat(50),
      queued: fc.nat(50),
      available: fc.integer({ min: -5, max: 60 }),
      slots: fc.integer({ min: 0, max: 64 }),
      avgCostMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      cpuIdlePercent: fc.double({ min: 0, max: 100, noNaN: true }),
      warmth: fc.double({ min: 0.01, max: 1, noNaN: true }),
    }),
    { maxLength: 50 },
  )
  .map((list) => list.map((over, index) => candidate(`w${String(index).padStart(2, '0')}`, over)));

describe.each(ROUTINGS)('choosing by %s', (routing) => {
  it('never gives a worker more than it has room for, and leaves nobody idle while tasks are left', () => {
    fc.assert(
      fc.property(arbitraryCandidates, fc.nat(300), fc.nat(), (candidates, count, seed) => {
        const chosen = chooseWorkers(count, candidates, routing, newBalanceState(), seeded(seed));
        const room = candidates.reduce((sum, { available }) => sum + Math.max(0, available), 0);
        expect(chosen).toHaveLength(count);
        const counts = tally(chosen);
        expect(counts.nobody ?? 0).toBe(Math.max(0, count - room));
        for (const { workerId, available } of candidates)
          expect(counts[workerId] ?? 0).toBeLessThanOrEqual(Math.max(0, available));
        const firstNobody = chosen.indexOf(null);
        if (firstNobody >= 0) expect(chosen.slice(firstNobody).every((pick) => pick === null)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('spreads 300 equal tasks over 3 equal workers within 10 of 100 each, unless it is chance that decides', () => {
    const counts = tally(
      chooseWorkers(
        300,
        ['a', 'b', 'c'].map((id) => candidate(id)),
        routing,
        newBalanceState(),
        seeded(),
        { keys: Array.from({ length: 300 }, (_, n) => `task-${n}`) },
      ),
    );
    const tolerance = routing === 'random' || routing === 'consistent_hash' ? 40 : 10;
    for (const id of ['a', 'b', 'c']) expect(Math.abs((counts[id] ?? 0) - 100)).toBeLessThanOrEqual(tolerance);
  });

  it('chooses for 2 000 tasks among 50 workers', () => {
    const candidates = Array.from({ length: 50 }, (_, index) => candidate(`w${index}`, { available: 45, active: index % 7 }));
    expect(tally(chooseWorkers(2000, candidates, routing, newBalanceState(), seeded())).nobody).toBeUndefined();
  });

  it('chooses nobody among nobody', () => {
    expect(chooseWorkers(2, [], routing, newBalanceState(), seeded())).toEqual([null, null]);
    expect(chooseWorkers(0, [candidate('a')], routing, newBalanceState(), seeded())).toEqual([]);
  });
});

describe('choosing by equal cost', () => {
  it.each([
    ['idle', {}, 0],
    ['running and queued attempts weigh ten points each', { active: 2, queued: 1 }, 30],
    ['a mean cost of 2.5 s weighs 2.5 points', { avgCostMs: 2500 }, 2.5],
    ['a mean cost weighs at most 100 points', { avgCostMs: 900_000 }, 100],
    ['a CPU that is 30 % idle weighs 7 points', { cpuIdlePercent: 30 }, 7],
    ['twice the mean slots halve the weight of attempts', { active: 3, slots: 20 }, 15],
    ['half warm doubles the weight of attempts', { active: 3, warmth: 0.5 }, 60],
    ['all together', { active: 1, queued: 1, avgCostMs: 1000, cpuIdlePercent: 50 }, 26],
  ])('%s', (_title, over, load) => {
    expect(loadOf(candidate('a', over), 10)).toBeCloseTo(load);
  });

  it('fills the emptiest first and levels out', () => {
    const counts = tally(
      chooseWorkers(
        30,
        [candidate('a', { active: 20 }), candidate('b', { active: 10 }), candidate('c')],
        'equal_cost',
        newBalanceState(),
        seeded(),
      ),
    );
    expect(counts).toEqual({ b: 10, c: 20 });
  });

  it('gives in proportion to slots', () => {
    const counts = tally(
      chooseWorkers(
        300,
        [candidate('small', { slots: 10 }), candidate('large', { slots: 20 })],
        'equal_cost',
        newBalanceState(),
        seeded(),
      ),
    );
    expect(Math.abs((counts.large ?? 0) - 200)).toBeLessThanOrEqual(10);
  });

  it('gives a worker that warms up a smaller share', () => {
    const counts = tally(
      chooseWorkers(300, [candidate('old'), candidate('new', { warmth: 0.5 })], 'equal_cost', newBalanceState(), seeded()),
    );
    expect(Math.abs((counts.new ?? 0) - 100)).toBeLessThanOrEqual(10);
  });

  it('decides ties by the random number', () => {
    const firsts = new Set<string>();
    for (let seed = 1; seed < 40; seed++) {
      const [first] = chooseWorkers(
        1,
        ['a', 'b', 'c'].map((id) => candidate(id)),
        'equal_cost',
        newBalanceState(),
        seeded(seed * 7919),
      );
      firsts.add(first?.workerId ?? 'nobody');
    }
    expect([...firsts].sort()).toEqual(['a', 'b', 'c']);
  });

  it('spreads single tasks of a quiet system although the CPU figures differ by noise', () => {
    const state = newBalanceState();
    const random = seeded();
    const candidates = [
      candidate('a', { cpuIdlePercent: 91 }),
      candidate('b', { cpuIdlePercent: 88 }),
      candidate('c', { cpuIdlePercent: 83 }),
    ];
    const counts = tally(Array.from({ length: 300 }, () => chooseWorkers(1, candidates, 'equal_cost', state, random)[0] ?? null));
    for (const id of ['a', 'b', 'c']) expect(Math.abs((counts[id] ?? 0) - 100)).toBeLessThanOrEqual(10);
  });

  it('keeps single tasks away from a worker whose CPU is far busier', () => {
    const state = newBalanceState();
    const candidates = [candidate('idle', { cpuIdlePercent: 90 }), candidate('hot', { cpuIdlePercent: 5 })];
    const counts = tally(
      Array.from({ length: 100 }, () => chooseWorkers(1, candidates, 'equal_cost', state, seeded())[0] ?? null),
    );
    expect(counts).toEqual({ idle: 100 });
  });
});

describe('choosing round robin', () => {
  it('is even across batches of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 60 }), (batches) => {
        const state = newBalanceState();
        const candidates = ['c', 'a', 'b'].map((id) => candidate(id));
        const counts = tally(batches.flatMap((count) => chooseWorkers(count, candidates, 'round_robin', state, seeded())));
        const values = ['a', 'b', 'c'].map((id) => counts[id] ?? 0);
        expect(Math.max(...values) - Math.min(...values)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('passes over whoever is full and goes on behind a worker that left', () => {
    const state = newBalanceState();
    const ids = (chosen: (Candidate | null)[]) => chosen.map((pick) => pick?.workerId ?? null);
    expect(
      ids(chooseWorkers(4, [candidate('a', { available: 1 }), candidate('b'), candidate('c')], 'round_robin', state, seeded())),
    ).toEqual(['a', 'b', 'c', 'b']);
    expect(ids(chooseWorkers(2, [candidate('a'), candidate('c')], 'round_robin', state, seeded()))).toEqual(['c', 'a']);
  });
});

describe('choosing at random', () => {
  it('covers every worker', () => {
    const candidates = Array.from({ length: 20 }, (_, index) => candidate(`w${index}`));
    expect(Object.keys(tally(chooseWorkers(1000, candidates, 'random', newBalanceState(), seeded())))).toHaveLength(20);
  });
});
