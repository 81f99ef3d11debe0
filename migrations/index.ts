import type { MigrationInterface } from 'typeorm';
import { Foundation1764400000000 } from './1764400000000-foundation.js';
import { Jobs1764500000000 } from './1764500000000-jobs.js';
import { Flows1764600000000 } from './1764600000000-flows.js';
import { Shards1764610000000 } from './1764610000000-shards.js';
import { Limits1764620000000 } from './1764620000000-limits.js';
import { Callbacks1764630000000 } from './1764630000000-callbacks.js';
import { WorkerLogs1764640000000 } from './1764640000000-worker-logs.js';
import { Console1764650000000 } from './1764650000000-console.js';
import { EndpointFigures1764655000000 } from './1764655000000-endpoint-figures.js';
import { KeyTraffic1764660000003 } from './1764660000003-key-traffic.js';
import { Fleet1764660000004 } from './1764660000004-fleet.js';
import { JobOrders1764660000005 } from './1764660000005-job-orders.js';
import { GroupArchive1764660000006 } from './1764660000006-group-archive.js';
import { PartnerActs1764670000000 } from './1764670000000-partner-acts.js';
import { DeletedJobs1764680000000 } from './1764680000000-deleted-jobs.js';
import { Challenges1764690000000 } from './1764690000000-challenges.js';

/** Every migration, oldest first. */
export const MIGRATIONS: (new () => MigrationInterface)[] = [
  Foundation1764400000000,
  Jobs1764500000000,
  Flows1764600000000,
  Shards1764610000000,
  Limits1764620000000,
  Callbacks1764630000000,
  WorkerLogs1764640000000,
  Console1764650000000,
  EndpointFigures1764655000000,
  KeyTraffic1764660000003,
  Fleet1764660000004,
  JobOrders1764660000005,
  GroupArchive1764660000006,
  PartnerActs1764670000000,
  DeletedJobs1764680000000,
  Challenges1764690000000,
];
