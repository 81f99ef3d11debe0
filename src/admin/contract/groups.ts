import type { RetryPolicy, Routing } from '@evenkeel/sdk/contract';
import type { CappedCount, Instant } from './page.js';

export interface GroupPoliciesView {
  priority?: number;
  timeoutMs?: number;
  retry?: RetryPolicy;
  repeatable?: boolean;
  crashRetries?: number;
}
export interface GroupView {
  key: string;
  partition: number;
  maxRunning: number;
  maxPending: number;
  /** Starts per second over all nodes; null for no limit. */
  maxDispatchRate: number | null;
  /** Of tasks whose job or submission states nothing; what is absent here is the system's. */
  policies: GroupPoliciesView;
  /** null: the system's default. */
  routing: Routing | null;
  hold: { reason: string | null; until: Instant | null } | null;
  /** Since when it takes no new work; null: it does. */
  archivedAt: Instant | null;
  /** Attempts that count against `maxRunning`. */
  running: number;
  pending: CappedCount;
  /** When the task that waits longest was due; null with none. Exact while `pending` is not capped. */
  oldestPendingDueAt: Instant | null;
  /** `online`: those that are neither draining nor cordoned. */
  workers: { online: number; draining: number; cordoned: number };
  jobs: number;
  /** Names these settings; an edit states the one it was made from. */
  revision: string;
  /** What the caller may do here. */
  permissions: string[];
}
/** Answer of `GET /api/groups/{key}/shares`: whose tasks run and wait there, most first; of ten thousand of each at most. */
export interface GroupShares {
  /** `app` is null for tasks of the house's own jobs. */
  items: { app: { id: string; name: string } | null; running: number; waiting: number }[];
  running: number;
  waiting: CappedCount;
}
/** Answer of `GET /api/groups/{key}/access`. What the caller may not see is null. */
export interface GroupAccess {
  /** Who may do what there; `everywhere`: by a role that is not of this group. */
  members: { username: string; role: 'viewer' | 'operator' | 'admin'; everywhere: boolean; disabled: boolean }[] | null;
  /** Apps it is granted to, with the keys that reach it. */
  partners: { id: string; name: string; isDefault: boolean; keys: GroupKey[] }[] | null;
  workerKeys: GroupKey[] | null;
}
export interface GroupKey {
  accessKey: string;
  label: string;
  active: boolean;
  /** Of a partner's key. */
  scopes: string[];
}
export interface GroupList {
  items: GroupView[];
}
/** Body of `POST /api/groups`. */
export interface CreateGroup {
  key: string;
  maxRunning?: number;
  maxPending?: number;
  maxDispatchRate?: number | null;
  policies?: GroupPoliciesView;
  routing?: Routing | null;
}
/** Body of `PATCH /api/groups/{key}`; a stale `revision` gets 409 `version_conflict` with member `current` (GroupView). */
export interface ChangeGroup {
  revision: string;
  maxRunning?: number;
  maxPending?: number;
  maxDispatchRate?: number | null;
  policies?: GroupPoliciesView;
  routing?: Routing | null;
  reason?: string;
}
/** Body of `POST /api/groups/{key}/hold`. */
export interface HoldGroup {
  reason: string;
  until?: Instant;
}
