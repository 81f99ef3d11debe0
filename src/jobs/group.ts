import type { Routing } from '@evenkeel/sdk/contract';

/** A group as every node knows it: the unit of quota, ordering, scale and permission. */
export interface Group {
  id: number;
  key: string;
  partition: number;
  maxRunning: number;
  maxPending: number;
  held: boolean;
  holdReason: string | null;
  heldUntil: number | null;
  /** null: the system's default strategy. */
  routing: Routing | null;
}

/** What an edit replaces. */
export type GroupSettings = Pick<Group, 'maxRunning' | 'maxPending' | 'routing'>;

export const settingsOf = ({ maxRunning, maxPending, routing }: Group): GroupSettings => ({ maxRunning, maxPending, routing });
