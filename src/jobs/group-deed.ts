import type { Deed } from '../platform/witness.js';
import { type Group, settingsOf } from './group.js';

const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** What the log keeps of a change of a group, whoever made it. */
export const groupDeed = (action: string): Deed<Group> => ({
  action,
  type: 'group',
  id: ({ key }) => key,
  group: ({ key }) => key,
  show: (group) => ({
    ...settingsOf(group),
    held: group.held,
    holdReason: group.holdReason,
    heldUntil: isoOrNull(group.heldUntil),
    archivedAt: isoOrNull(group.archivedAt),
  }),
});
