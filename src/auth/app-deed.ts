import type { Deed } from '../platform/witness.js';
import type { App } from './apps.service.js';

/** What the log keeps of a change of an app, whoever made it. */
export const appDeed = (action: string): Deed<App> => ({
  action,
  type: 'app',
  id: ({ publicId }) => publicId,
  show: ({ name, defaultGroup, groups, limits }) => ({ name, defaultGroup, groups, limits }),
});
