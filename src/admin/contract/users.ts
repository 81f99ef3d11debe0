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
}
/** Body of `POST /api/users`. */
export interface CreateUser {
  username: string;
  password: string;
  role: GlobalRole;
  grants?: Record<string, Role>;
}
/** Body of `PATCH /api/users/{username}`: what is absent stays. `grants` replaces all of them. */
export interface ChangeUser {
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
