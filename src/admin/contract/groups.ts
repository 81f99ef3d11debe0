import type { Routing } from '@evenkeel/sdk/contract';
import type { CappedCount, Instant } from './page.js';

export interface GroupView {
  key: string;
  partition: number;
  maxRunning: number;
  maxPending: number;
  /** null: the system's default. */
  routing: Routing | null;
  hold: { reason: string | null; until: Instant | null } | null;
  /** Attempts that count against `maxRunning`. */
  running: number;
  pending: CappedCount;
  /** When the task that waits longest was due; null with none. Exact while `pending` is not capped. */
  oldestPendingDueAt: Instant | null;
  workers: { online: number; draining: number };
  jobs: number;
  /** Names these settings; an edit states the one it was made from. */
  revision: string;
  /** What the caller may do here. */
  permissions: string[];
}
export interface GroupList {
  items: GroupView[];
}
/** Body of `POST /api/groups`. */
export interface CreateGroup {
  key: string;
  maxRunning?: number;
  maxPending?: number;
  routing?: Routing | null;
}
/** Body of `PATCH /api/groups/{key}`; a stale `revision` gets 409 `version_conflict` with member `current` (GroupView). */
export interface ChangeGroup {
  revision: string;
  maxRunning?: number;
  maxPending?: number;
  routing?: Routing | null;
  reason?: string;
}
/** Body of `POST /api/groups/{key}/hold`. */
export interface HoldGroup {
  reason: string;
  until?: Instant;
}
