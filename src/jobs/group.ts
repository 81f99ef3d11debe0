import type { Routing } from '@evenkeel/sdk/contract';
import type { GroupPolicies } from '../decisions/policies.js';

/** What an edit of a group may change. */
export interface GroupSettings {
  maxRunning: number;
  maxPending: number;
  /** Starts per second over all nodes; null for no limit. */
  maxDispatchRate: number | null;
  /** null: the system's default strategy. */
  routing: Routing | null;
  policies: GroupPolicies;
}

/** A group as every node knows it: the unit of quota, ordering, scale and permission. */
export interface Group extends GroupSettings {
  id: number;
  key: string;
  partition: number;
  held: boolean;
  holdReason: string | null;
  heldUntil: number | null;
  /** Since when it takes no new work, in epoch milliseconds; null: it does. */
  archivedAt: number | null;
  /** Counts edits of the settings; a hold or an archive is none. */
  version: number;
}

export type GroupCreateOutcome = { outcome: 'created'; group: Group } | { outcome: 'key_taken' };
export type ArchiveOutcome =
  | { outcome: 'changed'; group: Group }
  | { outcome: 'not_found' }
  /** It is so already. */
  | { outcome: 'unchanged' }
  /** Jobs it still has. */
  | { outcome: 'has_jobs'; jobs: number };
export type GroupChangeOutcome =
  | { outcome: 'changed'; group: Group }
  | { outcome: 'not_found' }
  | { outcome: 'conflict'; current: Group };

/** Whether a hold is in force: one with an expiry ends by itself. */
export const isHeldAt = ({ held, heldUntil }: Pick<Group, 'held' | 'heldUntil'>, now: number): boolean =>
  held && (heldUntil === null || heldUntil > now);

export const settingsOf = ({ maxRunning, maxPending, routing, maxDispatchRate, policies }: Group): GroupSettings => ({
  maxRunning,
  maxPending,
  routing,
  maxDispatchRate,
  policies,
});
