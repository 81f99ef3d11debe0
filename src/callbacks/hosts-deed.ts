import type { Deed } from '../platform/witness.js';

/** What the log keeps of a change of the callback hosts of an app (`app_…`), whoever made it. */
export const hostsDeed = (appId: string): Deed<string[]> => ({
  action: 'app.callback_hosts_set',
  type: 'app',
  id: () => appId,
  show: (hosts) => ({ hosts }),
});

/** The same of another secret for its callbacks without an endpoint; nothing of the secret. */
export const secretRotated = (appId: string, graceSeconds: number) => ({
  action: 'app.callback_secret_rotated',
  object: { type: 'app', id: appId },
  after: { graceSeconds },
});
