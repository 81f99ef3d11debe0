import { crc32 } from 'node:zlib';

/** Slices all groups are divided into; fixed for the life of an installation. */
export const PARTITION_COUNT = 16;

/** The partition a group belongs to, for ever. */
export const partitionOf = (groupKey: string): number => crc32(groupKey) % PARTITION_COUNT;

/** Tasks of one lane can be served by the same workers, so the head of a lane stands for all of it. */
export const laneOf = (handler: string): number => crc32(handler);
/** Shards made for one worker each, whatever their handlers: apart, so that those whose worker is full hold nobody else up. */
export const PINNED_LANE = -1;
/** Tasks that are divided into shards; below every lane that is picked from or counted as running. */
export const PARENT_LANE = -2;

const PRIORITY_STEP = 100_000_000_000_000;

/** Sorts the pending tasks of a lane: higher priority first, then the earlier due. Fits a double exactly until the year 5138. */
export const pickOrder = (priority: number, dueAt: number): number => (10 - priority) * PRIORITY_STEP + dueAt;

/** How many partitions each of that many nodes may hold, so that they end up even. */
export const fairShare = (nodes: number): number => Math.ceil(PARTITION_COUNT / Math.max(1, nodes));
