import type { Routing } from '@evenkeel/sdk/contract';
import type { Instant } from './page.js';

export type RetentionKind = 'tasks' | 'logs' | 'audit' | 'figures';
/** Answer of `GET /api/settings`. Read only. */
export interface SettingsView {
  version: string;
  mode: 'embedded' | 'cluster';
  defaultTimeZone: string;
  defaultTimeZoneStated: boolean;
  publicUrl: string | null;
  publicPath: string;
  session: { idleMs: number; maxMs: number };
  /** How long each kind is kept, null for ever, and how far back what there is goes. */
  retention: { kind: RetentionKind; keptMs: number | null; oldestAt: Instant | null }[];
  /** What stands in the environment, by variable; secrets only say that they are set. */
  variables: { name: string; value: string | null; secret: boolean; stated: boolean; description: string }[];
  defaults: { priority: number; timeoutMs: number; maxRunning: number; maxPending: number; overlap: string; misfire: string };
}
/** Answer of `GET /api/system`. */
export interface SystemView {
  at: Instant;
  thisNode: string;
  database: { kind: 'sqlite' | 'mysql'; latencyMs: number };
  nodes: { id: string; host: string; startedAt: Instant; seenAt: Instant; live: boolean; partitions: number[] }[];
  partitions: { partition: number; holder: string | null; epoch: number; leftMs: number }[];
  workersWithSkew: { id: string; skewMs: number }[];
}
/** Answer of `GET /api/settings/routing` and body of `PUT` (with `reason`): how workers are chosen where task, job and group say nothing. */
export interface RoutingSetting {
  routing: Routing;
  reason?: string;
}
export type NoticeKind =
  | 'partition_unheld'
  | 'group_without_worker'
  | 'clock_skew'
  | 'callbacks_late'
  | 'group_held'
  | 'database_slow';
/** Answer of `GET /api/notices`: what is wrong right now, of what the caller may see. Empty when all is well. */
export interface Notices {
  at: Instant;
  /** Name of the console's main file as this node serves it; null where it serves none. Another than the page's own: there is a new build. */
  console: string | null;
  notices: {
    kind: NoticeKind;
    /** How many objects; capped for callbacks at 10 000. */
    count: number;
    /** The first of them, by name. */
    object: string | null;
  }[];
}
