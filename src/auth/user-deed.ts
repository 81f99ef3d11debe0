import type { Deed } from '../platform/witness.js';
import type { User } from './users.service.js';

/** What the log keeps of a change of a user, whoever made it. */
export const userDeed = (action: string): Deed<User> => ({
  action,
  type: 'user',
  id: ({ username }) => username,
  show: ({ role, grants, disabled }) => ({ role, grants, disabled }),
});

/** Nothing of a password is kept, and nothing else changes with it. */
export const passwordDeed: Deed<User> = { ...userDeed('user.password_set'), show: () => null };
