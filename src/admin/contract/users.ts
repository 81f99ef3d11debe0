import type { Instant } from './page.js';
import type { GlobalRole, Permission, Role } from './session.js';

export interface UserView {
  username: string;
  role: GlobalRole;
  grants: Record<string, Role>;
  disabled: boolean;
  createdAt: Instant;
  lastSignInAt: Instant | null;
  sessions: number;
  /** Of role, grants and whether disabled; for `ChangeUser`. */
  revision: string;
}
/** Answer of `GET /api/users/{username}`: with all that they may do, as it is decided at each of their requests. */
export interface UserDetail extends UserView {
  /** Everywhere, and for what belongs to no group. A disabled user may do nothing: none. */
  permissions: Permission[];
  /** In single groups beyond `permissions`, by group key. */
  groupPermissions: Record<string, Permission[]>;
}
/** Body of `POST /api/users`. */
export interface CreateUser {
  username: string;
  password: string;
  role: GlobalRole;
  grants?: Record<string, Role>;
}
/**
 * Body of `PATCH /api/users/{username}`: what is absent stays. `grants` replaces all of them. With the `revision` that was read, a change
 * that somebody else made since is not undone: 409 `version_conflict`.
 */
export interface ChangeUser {
  revision?: string;
  role?: GlobalRole;
  grants?: Record<string, Role>;
  disabled?: boolean;
  reason?: string;
}
/** Body of `POST /api/users/{username}/password`. Ends all sessions of the user. */
export interface SetPassword {
  password: string;
}
/** Answer of `GET /api/roles`. */
export interface RolesAnswer {
  roles: Record<Role, Permission[]>;
  /** Mean something only as part of a global role. */
  globalOnly: Permission[];
}
