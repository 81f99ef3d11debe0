export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
/** `none`: rights in single groups only. */
export type GlobalRole = Role | 'none';

export const PERMISSIONS = [
  'tasks.view',
  'tasks.cancel',
  'tasks.retry',
  'jobs.view',
  'jobs.run',
  'jobs.pause',
  'jobs.edit',
  'groups.view',
  'groups.hold',
  'groups.edit',
  'groups.create',
  'workers.view',
  'workers.drain',
  'keys.view',
  'keys.manage',
  'audit.view',
  'users.view',
  'users.manage',
  'system.view',
  'system.manage',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const VIEWER: readonly Permission[] = [
  'tasks.view',
  'jobs.view',
  'groups.view',
  'workers.view',
  'keys.view',
  'audit.view',
  'system.view',
];
const OPERATOR: readonly Permission[] = [
  ...VIEWER,
  'tasks.cancel',
  'tasks.retry',
  'jobs.run',
  'jobs.pause',
  'groups.hold',
  'workers.drain',
];
/** What each role may do, in the groups it is held in. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  operator: OPERATOR,
  admin: PERMISSIONS,
};
/** Concern what belongs to no group: only a global role brings them. */
export const GLOBAL_ONLY: readonly Permission[] = [
  'groups.create',
  'keys.view',
  'keys.manage',
  'users.view',
  'users.manage',
  'system.view',
  'system.manage',
];

const held = new Map<GlobalRole, ReadonlySet<Permission>>([
  ['none', new Set()],
  ...ROLES.map((role) => [role, new Set(ROLE_PERMISSIONS[role])] as const),
]);
const globalOnly = new Set(GLOBAL_ONLY);

/** A person's rights: one role everywhere, and perhaps stronger ones in single groups. */
export interface Rights {
  role: GlobalRole;
  /** By group key. */
  grants: ReadonlyMap<string, Role>;
}

export const isPermission = (text: string): text is Permission => (PERMISSIONS as readonly string[]).includes(text);

export const sameRights = (one: Rights, other: Rights): boolean =>
  one.role === other.role &&
  one.grants.size === other.grants.size &&
  [...one.grants].every(([group, role]) => other.grants.get(group) === role);

/** In the group; null: everywhere, which also covers what belongs to no group. */
export function may({ role, grants }: Rights, permission: Permission, group: string | null): boolean {
  if (held.get(role)?.has(permission)) return true;
  if (group === null || globalOnly.has(permission)) return false;
  const grant = grants.get(group);
  return grant !== undefined && (held.get(grant)?.has(permission) ?? false);
}

/** Somewhere at all: whoever may not is refused before anything is looked up. */
export const mayAnywhere = (rights: Rights, permission: Permission): boolean =>
  may(rights, permission, null) || [...rights.grants.keys()].some((group) => may(rights, permission, group));

/** The groups among these where it is held. */
export const groupsWith = (rights: Rights, permission: Permission, groups: readonly string[]): string[] =>
  groups.filter((group) => may(rights, permission, group));

/** All that somebody holds: everywhere, and in single groups beyond that. */
export interface HeldPermissions {
  permissions: Permission[];
  /** By group key. */
  groupPermissions: Record<string, Permission[]>;
}
export function heldBy(rights: Rights): HeldPermissions {
  const permissions = PERMISSIONS.filter((permission) => may(rights, permission, null));
  const inGroup = (group: string): Permission[] =>
    PERMISSIONS.filter((permission) => !permissions.includes(permission) && may(rights, permission, group));
  return { permissions, groupPermissions: Object.fromEntries([...rights.grants.keys()].map((group) => [group, inGroup(group)])) };
}
