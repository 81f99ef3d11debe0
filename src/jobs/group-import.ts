import type { Deed } from '../platform/witness.js';
import { type Group, settingsOf } from './group.js';

/** What the log keeps of a group that a file brought or changed. */
export const groupImport: Deed<Group> = {
  action: 'group.imported',
  type: 'group',
  id: ({ key }) => key,
  group: ({ key }) => key,
  show: settingsOf,
};
