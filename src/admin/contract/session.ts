import type { GlobalRole, Permission, Role } from '../../decisions/permissions.js';
import type { Instant } from './page.js';

export type { GlobalRole, Permission, Role };

/** Body of `POST /api/session`. */
export interface SignIn {
  username: string;
  password: string;
}
/** Answer of `POST /api/session` and `GET /api/session`. */
export interface SessionView {
  username: string;
  role: GlobalRole;
  /** Roles in single groups, by group key; a stronger global role outweighs them. */
  grants: Record<string, Role>;
  /** Held in every group, and for what belongs to no group. */
  permissions: Permission[];
  /** Held in single groups beyond `permissions`, by group key. */
  groupPermissions: Record<string, Permission[]>;
  /** Ends then at the latest, whatever happens. */
  expiresAt: Instant;
  /** Ends when it was not used for so long. */
  idleMs: number;
  serverTime: Instant;
  /** IANA name of the zone of a new job that states none: `DEFAULT_TIMEZONE`. */
  defaultTimeZone: string;
}
/** Body of `POST /api/session/password`. Ends every other session of the user. */
export interface ChangeOwnPassword {
  currentPassword: string;
  newPassword: string;
}
/** Item of `GET /api/session/all` and of `GET /api/users/{username}/sessions`. */
export interface SessionEntry {
  /** For `DELETE …/{id}`; it opens nothing. */
  id: string;
  current: boolean;
  createdAt: Instant;
  seenAt: Instant;
  expiresAt: Instant;
  address: string | null;
  userAgent: string | null;
}
