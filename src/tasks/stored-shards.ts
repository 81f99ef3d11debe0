import type { Shards } from './task.js';

/** As it stands in the row of a task that is to be divided; null for one that is not. */
export const storedShards = (shards: Shards | undefined): number | null => (shards === 'broadcast' ? 0 : (shards ?? null));
