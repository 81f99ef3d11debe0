import { crc32 } from 'node:zlib';

/** Slices all groups are divided into; fixed for the life of an installation. */
export const PARTITION_COUNT = 16;

/** The partition a group belongs to, for ever. */
export const partitionOf = (groupKey: string): number => crc32(groupKey) % PARTITION_COUNT;

/**
 * Tasks of one lane can be served by the same workers, so the head of a lane stands for all of it. `filter` is the text of a worker
 * filter (`filterText`).
 */
export const laneOf = (handler: string, filter = ''): number => crc32(filter === '' ? handler : `${handler}\0${filter}`);
/** Shards made for one worker each, whatever their handlers: apart, so that those whose worker is full hold nobody else up. */
export const PINNED_LANE = -1;
/** Tasks that are divided into shards; below every lane that is picked from or counted as running. */
export const PARENT_LANE = -2;

const PRIORITY_STEP = 100_000_000_000_000;

/** Sorts the pending tasks of a lane: higher priority first, then the earlier due. Fits a double exactly until the year 5138. */
export const pickOrder = (priority: number, dueAt: number): number => (10 - priority) * PRIORITY_STEP + dueAt;

/**
 * How many partitions a node may hold, so that all are held and no two nodes differ by more than one. Every node comes to the same
 * shares from the same list, in whatever order. A node that is not on it yet counts itself in.
 */
export function fairShare(nodes: readonly string[], node: string): number {
  const all = [...new Set([...nodes, node])].sort();
  const rank = all.indexOf(node);
  return Math.floor(PARTITION_COUNT / all.length) + (rank < PARTITION_COUNT % all.length ? 1 : 0);
}
