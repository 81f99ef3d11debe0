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
  /** How long each kind is kept, null for ever, how far back what there is goes, and about how many rows it is, as the database estimates. */
  retention: { kind: RetentionKind; keptMs: number | null; oldestAt: Instant | null; aboutRows: number }[];
  /** What stands in the environment, by variable; secrets only say that they are set. */
  variables: { name: string; value: string | null; secret: boolean; stated: boolean; description: string }[];
  defaults: { priority: number; timeoutMs: number; maxRunning: number; maxPending: number; overlap: string; misfire: string };
}
/** Answer of `GET /api/system`. */
export interface SystemView {
  at: Instant;
  thisNode: string;
  /** Of this node. */
  version: string;
  /** Changes of the schema that have been made, oldest first. */
  migrations: string[];
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
/** What the installation is called on every page, so that nobody takes one for another. */
export interface EnvironmentBadge {
  /** At most 24 characters. */
  name: string;
  /** `#rrggbb`, with a contrast of 3:1 or more with the bar of both themes. */
  colour: string;
  /** Marked by a stripe across the page too. */
  production: boolean;
}
/** Answer of `GET /api/settings/environment`, and of `PUT`. */
export interface EnvironmentSetting {
  environment: EnvironmentBadge | null;
  /** Names this setting; an edit states the one it was made from. */
  revision: string;
}
/** Body of `PUT /api/settings/environment`; a stale `revision` gets 409 `version_conflict` with member `current`. */
export interface SetEnvironment extends EnvironmentSetting {
  reason?: string;
}
/** Seconds between two updates of what is on a screen, at least. */
export type LiveFloor = 1 | 5 | 15 | 60;
/** Answer of `GET /api/settings/live-floor`, and of `PUT`. */
export interface LiveFloorSetting {
  seconds: LiveFloor;
  /** As of the environment. */
  revision: string;
}
/** Body of `PUT /api/settings/live-floor`. */
export interface SetLiveFloor extends LiveFloorSetting {
  reason?: string;
}
/** Answer of `GET /api/site`, for whoever opens the console, signed in or not. */
export interface SiteView {
  /** With the colour of text that is read on its own. */
  environment: (EnvironmentBadge & { textColour: string }) | null;
  liveFloorSeconds: LiveFloor;
}
/** A hold on the dispatch of all groups. Nothing is started; what runs goes on, schedules fire and submits are accepted. */
export interface MaintenanceHold {
  reason: string;
  /** When it ends by itself; null: when it is released. */
  until: Instant | null;
  by: string;
  at: Instant;
}
/** Answer of `GET /api/settings/maintenance`, and of both actions. */
export interface MaintenanceView {
  hold: MaintenanceHold | null;
}
/** Body of `POST /api/settings/maintenance/hold`. Again: in the place of the one before. */
export interface HoldEverything {
  reason: string;
  until?: Instant;
}
export type NoticeKind =
  | 'maintenance_hold'
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
    /** The first twenty of them, by name; of a maintenance hold its reason. */
    objects: string[];
    /** Of a maintenance hold: when it ends by itself. */
    until?: Instant | null;
  }[];
}
