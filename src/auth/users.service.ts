import { randomBytes } from 'node:crypto';
import type { FieldErrorCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { type Said, said } from '../decisions/field-sentences.js';
import type { GlobalRole, Role } from '../decisions/permissions.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { revisionOfSettings } from '../platform/revision.js';
import type { Witness } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { SessionsStore } from './sessions.store.js';
import { type UserRow, UsersStore } from './users.store.js';

export type UserRole = Role;
export interface User {
  id: number;
  username: string;
  role: GlobalRole;
  /** Roles in single groups, by group key. */
  grants: Record<string, Role>;
  disabled: boolean;
  createdAt: number;
  lastSignInAt: number | null;
}
export interface UserChange {
  role?: GlobalRole;
  grants?: Record<string, Role>;
  disabled?: boolean;
}
const USERNAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const PASSWORD_LENGTH = { min: 8, max: 256 } as const;
/** argon2id (2 in the library's list) with 19 MiB and two passes: the floor OWASP names. */
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** People of the console. Passwords are kept as argon2id hashes and nothing else. There is always an admin who can sign in. */
@Injectable()
export class UsersService {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates `admin` if there is no user at all, with the password given or a random one. Returns what to show the operator once;
   * null if users exist, or another node was first.
   */
  async ensureAdmin(
    password?: string,
    witness?: Witness<User>,
  ): Promise<{ username: string; password: string; generated: boolean } | null> {
    if (!(await this.store.isEmpty(this.dialect.root))) return null;
    const chosen = password ?? randomBytes(15).toString('base64url');
    try {
      await this.insert('admin', chosen, 'admin', {}, witness);
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) return null;
      throw error;
    }
    return { username: 'admin', password: chosen, generated: password === undefined };
  }

  /** Throws AppError `validation_failed`, a name that is taken included. */
  async create(
    username: string,
    password: string,
    role: GlobalRole,
    grants: Record<string, Role> = {},
    witness?: Witness<User>,
  ): Promise<void> {
    if (!USERNAME.test(username)) throw field('/username', said('user_name_form', { min: 1, max: 64 }));
    checkPassword(password);
    try {
      await this.insert(username, password, role, grants, witness);
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) throw field('/username', said('user_name_taken'), 'not_unique');
      throw error;
    }
  }

  /** The user whose password it is, or null. An unknown name costs as much time as a wrong password. */
  async authenticate(username: string, password: string): Promise<User | null> {
    const user = await this.store.withHash(this.dialect.root, username);
    this.decoy ??= hash(randomBytes(16), ARGON2);
    const matches = await verify(user?.passwordHash ?? (await this.decoy), password.slice(0, PASSWORD_LENGTH.max));
    return user && matches && !user.disabled ? toUser(user, await this.store.grantsOf(this.dialect.root, user.id)) : null;
  }

  /** Ends the user's sessions, but perhaps one. False if there is no such user. Throws AppError `validation_failed`. */
  async setPassword(
    username: string,
    password: string,
    { pointer = '/password', keepSession, witness }: { pointer?: string; keepSession?: string; witness?: Witness<User> } = {},
  ): Promise<boolean> {
    checkPassword(password, pointer);
    const passwordHash = await hash(password, ARGON2);
    return this.dialect.transaction(async (tx) => {
      const user = await this.load(tx, username);
      if (!user) return false;
      await this.store.setPasswordHash(tx, user.id, passwordHash);
      await this.sessions.removeAll(tx, user.id, keepSession);
      await witness?.(tx, user, user);
      return true;
    });
  }

  /**
   * The user as changed; null if there is none, `stale` if they are not as they were at that revision. Throws AppError `state_conflict` if no
   * admin would be left.
   */
  async change(
    username: string,
    { revision, ...change }: UserChange & { revision?: string },
    witness?: Witness<User>,
  ): Promise<User | 'stale' | null> {
    return this.dialect.transaction(async (tx) => {
      const before = await this.lock(
        tx,
        username,
        (user) => (change.role ?? user.role) !== 'admin' || (change.disabled ?? false),
      );
      if (!before) return null;
      if (revision !== undefined && revision !== revisionOf(before)) return 'stale';
      const after = { ...before, role: change.role ?? before.role, disabled: change.disabled ?? before.disabled };
      await this.store.update(tx, before.id, after);
      if (change.grants) await this.store.replaceGrants(tx, before.id, Object.entries(change.grants));
      if (after.disabled) await this.sessions.removeAll(tx, before.id);
      const changed = { ...after, grants: change.grants ?? before.grants };
      await witness?.(tx, before, changed);
      return changed;
    });
  }

  /** Throws AppError `state_conflict` for the last admin. */
  async remove(username: string, witness?: Witness<User>): Promise<boolean> {
    return this.dialect.transaction(async (tx) => {
      const user = await this.lock(tx, username, () => true);
      if (!user) return false;
      await this.sessions.removeAll(tx, user.id);
      await this.store.remove(tx, user.id);
      await witness?.(tx, user, null);
      return true;
    });
  }

  find(username: string): Promise<User | null> {
    return this.load(this.dialect.root, username);
  }

  async list(): Promise<User[]> {
    const [users, grants] = [await this.store.all(this.dialect.root), await this.store.grants(this.dialect.root)];
    return users.map((user) =>
      toUser(
        user,
        grants.filter(({ userId }) => userId === user.id).map(({ groupKey, role }) => [groupKey, role]),
      ),
    );
  }

  private async load(sql: Sql, username: string): Promise<User | null> {
    const user = await this.store.find(sql, username);
    return user && toUser(user, await this.store.grantsOf(sql, user.id));
  }

  private async lock(tx: Sql, username: string, endsAdmin: (user: UserRow) => boolean): Promise<User | null> {
    const locked = await this.store.lockWithAdmins(tx, username);
    const user = locked.find((row) => row.username === username);
    if (!user) return null;
    const others = locked.filter(({ role, disabled, id }) => role === 'admin' && disabled === 0 && id !== user.id);
    if (user.role === 'admin' && user.disabled === 0 && endsAdmin(user) && others.length === 0)
      throw AppError.because('state_conflict', 'last_admin', { username });
    return toUser(user, await this.store.grantsOf(tx, user.id));
  }

  private async insert(
    username: string,
    password: string,
    role: GlobalRole,
    grants: Record<string, Role>,
    witness?: Witness<User>,
  ): Promise<void> {
    const passwordHash = await hash(password, ARGON2);
    await this.dialect.transaction(async (tx) => {
      await this.store.insert(tx, { username, passwordHash, role, createdAt: Math.floor(this.clock.now()) });
      const user = (await this.store.find(tx, username)) as UserRow;
      await this.store.replaceGrants(tx, user.id, Object.entries(grants));
      await witness?.(tx, null, toUser(user, Object.entries(grants)));
    });
  }
}

/** Differs when what somebody may do differs. */
export function revisionOf({ role, grants, disabled }: Pick<User, 'role' | 'grants' | 'disabled'>): string {
  return revisionOfSettings([role, disabled, Object.entries(grants).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function toUser(row: UserRow, grants: (readonly [string, Role])[]): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    grants: Object.fromEntries(grants),
    disabled: row.disabled !== 0,
    createdAt: Number(row.createdAt),
    lastSignInAt: row.lastSignInAt === null ? null : Number(row.lastSignInAt),
  };
}

function checkPassword(password: string, pointer = '/password'): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min || password.length > max) throw field(pointer, said('length_range', { min, max }));
}

function field(pointer: string, words: Said, code: FieldErrorCode = 'bad_format'): AppError {
  return AppError.fields([{ pointer, code, ...words }]);
}
