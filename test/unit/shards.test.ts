import { crc32 } from 'node:zlib';
import { isTerminal, TASK_STATES, type TaskState } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { type ShardCounts, shardProgress, shardsEnd, sharesOf, stopReason } from '../../src/decisions/shards.js';

const counts = fc.dictionary(fc.constantFrom(...TASK_STATES), fc.integer({ min: 0, max: 5 })) as fc.Arbitrary<ShardCounts>;
const sum = (of: ShardCounts, states: readonly TaskState[]) => states.reduce((total, state) => total + (of[state] ?? 0), 0);

describe('the shares of a broadcast', () => {
  const weights = fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }), {
    minLength: 1,
    maxLength: 50,
  });
  const workers = weights.map((all) => all.map((weight, i) => ({ workerId: `w${String(i).padStart(3, '0')}`, weight })));

  it('begin with 0, end with 1, and each begins with the very number the one before ends with', () => {
    fc.assert(
      fc.property(workers, (all) => {
        const shares = sharesOf(all).map(({ share }) => share);
        expect(shares).toHaveLength(all.length);
        expect(shares[0]?.from).toBe(0);
        expect(shares.at(-1)?.to).toBe(1);
        for (const [i, { from, to }] of shares.entries()) {
          expect(to).toBeGreaterThanOrEqual(from);
          if (i > 0) expect(from).toBe(shares[i - 1]?.to);
        }
      }),
    );
  });

  it('give every key to exactly one shard', () => {
    fc.assert(
      fc.property(workers, fc.array(fc.string(), { minLength: 1, maxLength: 20 }), (all, keys) => {
        const shares = sharesOf(all);
        for (const key of keys) {
          const at = crc32(key) / 2 ** 32;
          expect(shares.filter(({ share }) => at >= share.from && at < share.to)).toHaveLength(1);
        }
      }),
    );
  });

  it('are as large as the weights say, in the order of the ids, whatever order the workers come in', () => {
    const shares = sharesOf([{ workerId: 'c', weight: 1 }, { workerId: 'a', weight: 2 }, { workerId: 'b' }]);
    expect(shares).toEqual([
      { workerId: 'a', share: { from: 0, to: 0.5 } },
      { workerId: 'b', share: { from: 0.5, to: 0.75 } },
      { workerId: 'c', share: { from: 0.75, to: 1 } },
    ]);
  });

  it('are alike if nobody weighs anything, and there are none without a worker', () => {
    expect(sharesOf(['a', 'b'].map((workerId) => ({ workerId, weight: 0 }))).map(({ share }) => share.to)).toEqual([0.5, 1]);
    expect(sharesOf([])).toEqual([]);
  });
});

describe('a fixed number of shards', () => {
  it('gives every key to exactly one shard', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 2, max: 1_000 }), (key, total) => {
        const owners = Array.from({ length: total }, (_, index) => index).filter((index) => crc32(key) % total === index);
        expect(owners).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the end of a task with shards', () => {
  it.each<[ShardCounts, boolean, ReturnType<typeof shardsEnd>]>([
    [{ SUCCEEDED: 3 }, false, { event: 'succeeded', reason: null }],
    [{ SUCCEEDED: 3 }, true, { event: 'succeeded', reason: null }],
    [{ SUCCEEDED: 2, FAILED: 1 }, false, { event: 'failed', reason: 'shard_failed' }],
    [{ SUCCEEDED: 2, TIMED_OUT: 1 }, false, { event: 'failed', reason: 'shard_failed' }],
    [{ SUCCEEDED: 2, CANCELLED: 1 }, false, { event: 'failed', reason: 'shard_failed' }],
    [{ FAILED: 1, CANCELLED: 2 }, true, { event: 'stopped', reason: 'cancel_requested' }],
    [{ SUCCEEDED: 2, RUNNING: 1 }, false, null],
    [{ FAILED: 2, RETRYING: 1 }, true, null],
  ])('of %j (cancel asked: %s) is %j', (of, cancelAsked, end) => {
    expect(shardsEnd(of, cancelAsked)).toEqual(end);
  });

  it('comes exactly when no shard is left that has not ended', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (of, cancelAsked) => {
        const going = sum(
          of,
          TASK_STATES.filter((state) => !isTerminal(state)),
        );
        expect(shardsEnd(of, cancelAsked) === null).toBe(going > 0);
      }),
    );
  });
});

describe('the progress of a task with shards', () => {
  it('counts every shard once', () => {
    fc.assert(
      fc.property(counts, (of) => {
        const total = sum(of, TASK_STATES);
        const { done, running, pending, failed } = shardProgress('RUNNING', total, of);
        expect(done + running + pending).toBe(total);
        expect(failed).toBeLessThanOrEqual(done);
      }),
    );
  });

  it('has nothing pending once the task has ended, divided or not', () => {
    expect(shardProgress('CANCELLED', 4, {})).toEqual({ total: 4, done: 0, failed: 0, running: 0, pending: 0 });
    expect(shardProgress('PENDING', 4, {})).toEqual({ total: 4, done: 0, failed: 0, running: 0, pending: 4 });
  });
});

describe('whether the other shards must stop', () => {
  it.each<[boolean, boolean, ShardCounts, ReturnType<typeof stopReason>]>([
    [false, false, { FAILED: 1, RUNNING: 1 }, null],
    [false, true, { FAILED: 1, RUNNING: 1 }, 'shard_failed'],
    [false, true, { CANCELLED: 1, RUNNING: 1 }, 'shard_failed'],
    [false, true, { SUCCEEDED: 1, RETRYING: 1 }, null],
    [true, false, { RUNNING: 1 }, 'cancel_requested'],
    [true, true, { FAILED: 1, RUNNING: 1 }, 'cancel_requested'],
  ])('cancel asked %s, stop %s, %j: %s', (cancelAsked, stopOnFailure, of, reason) => {
    expect(stopReason({ cancelAsked, stopOnFailure, counts: of })).toBe(reason);
  });
});
