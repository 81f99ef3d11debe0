import { may, type Permission, type Rights } from '../decisions/permissions.js';
import { AppError } from '../platform/errors.js';
import type { CallerRequest } from '../platform/http/request.js';

/** A person who is signed in, as the guard found them at this request. */
export interface ConsoleCaller {
  kind: 'console';
  userId: number;
  username: string;
  rights: Rights;
  session: { id: string; expiresAt: number };
  /** For the audit log. */
  address: string;
  userAgent: string | null;
  requestId: string;
}
export type ConsoleRequest = CallerRequest<ConsoleCaller>;

/** Throws AppError `permission_denied` unless it is held in the group; null: for what belongs to no group. */
export function demand(caller: ConsoleCaller, permission: Permission, group: string | null): void {
  if (!may(caller.rights, permission, group)) throw permissionDenied(permission, group);
}

export const permissionDenied = (permission: Permission, group: string | null): AppError =>
  AppError.because(
    'permission_denied',
    group === null ? 'role_lacks' : 'role_lacks_in_group',
    { permission, ...(group === null ? {} : { group }) },
    { members: { permission, group } },
  );
