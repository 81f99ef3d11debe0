import { isTerminal, LIMITS, type ReasonCode, type ShardProgress, type TaskState, TERMINAL_STATES } from '@evenkeel/sdk/contract';
import type { TaskEvent } from './task-state.js';

/** How many shards of one task are in each state. */
export type ShardCounts = Partial<Record<TaskState, number>>;

const countOf = (counts: ShardCounts, states: readonly TaskState[]): number =>
  states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
const endedOf = (counts: ShardCounts): number => countOf(counts, TERMINAL_STATES);
const unsuccessfulOf = (counts: ShardCounts): number => endedOf(counts) - (counts.SUCCEEDED ?? 0);

/** How far a task with `total` shards is; one that has ended has nothing pending, whether it was ever divided or not. */
export function shardProgress(state: TaskState, total: number, counts: ShardCounts): ShardProgress {
  const done = endedOf(counts);
  const running = countOf(counts, ['DISPATCHED', 'RUNNING']);
  const pending = isTerminal(state) ? 0 : Math.max(0, total - done - running);
  return { total, done, failed: unsuccessfulOf(counts), running, pending };
}

/**
 * How many tasks work makes that states these shards, for what it costs: one for each. One if there are none, for a broadcast, of which
 * nobody knows how many it will be, and for what is no number of shards and will be refused.
 */
export function tasksMade(shards: unknown): number {
  const isNumber = typeof shards === 'number' && Number.isInteger(shards) && shards >= 1 && shards <= LIMITS.shardsMax;
  return isNumber ? shards : 1;
}

export interface ShardsEnd {
  event: Extract<TaskEvent, 'succeeded' | 'failed' | 'stopped'>;
  reason: ReasonCode | null;
}

/**
 * How a task ends whose shards have all ended; null while one has not. Success counts even if a cancel was asked for meanwhile; a
 * cancel wins over every other end. A shard somebody cancelled by itself is a shard that did not succeed.
 */
export function shardsEnd(counts: ShardCounts, cancelAsked: boolean): ShardsEnd | null {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (endedOf(counts) < all) return null;
  if (unsuccessfulOf(counts) === 0) return { event: 'succeeded', reason: null };
  return cancelAsked ? { event: 'stopped', reason: 'cancel_requested' } : { event: 'failed', reason: 'shard_failed' };
}

/** Why the shards that have not ended must stop; null while they may go on. */
export function stopReason(facts: { cancelAsked: boolean; stopOnFailure: boolean; counts: ShardCounts }): ReasonCode | null {
  if (facts.cancelAsked) return 'cancel_requested';
  return facts.stopOnFailure && unsuccessfulOf(facts.counts) > 0 ? 'shard_failed' : null;
}

/** A worker that takes part in a broadcast. Without a stated weight it counts 1. */
export interface Participant {
  workerId: string;
  weight?: number;
}
export interface PinnedShare {
  workerId: string;
  share: { from: number; to: number };
}

/**
 * Each worker's share of 0 to 1 by weight, in the order of their ids: every number of [0, 1) lies in exactly one share, because each
 * begins with the very number the one before ends with, the first with 0 and the last ends with 1. If nobody weighs anything, all
 * weigh the same.
 */
export function sharesOf(workers: readonly Participant[]): PinnedShare[] {
  const sorted = [...workers].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  const stated = sorted.map(({ weight = 1 }) => Math.max(0, weight));
  const weights = stated.some((weight) => weight > 0) ? stated : stated.map(() => 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let weighed = 0;
  let from = 0;
  return sorted.map(({ workerId }, i) => {
    weighed += weights[i] as number;
    const to = i === sorted.length - 1 ? 1 : Math.min(1, weighed / whole);
    const share = { from, to };
    from = to;
    return { workerId, share };
  });
}
