import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { SqlDialect } from '../ports.js';
import { type UserRole, type UserRow, UsersStore } from './users.store.js';

export interface User {
  username: string;
  role: UserRole;
  disabled: boolean;
  createdAt: number;
}
const USERNAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const PASSWORD_LENGTH = { min: 8, max: 256 } as const;
/** argon2id (2 in the library's list) with 19 MiB and two passes: the floor OWASP names. */
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** People of the console. Passwords are kept as argon2id hashes and nothing else. */
@Injectable()
export class UsersService {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: UsersStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates `admin` if there is no user at all, with the password given or a random one. Returns what to show the operator once;
   * null if users exist, or another node was first.
   */
  async ensureAdmin(password?: string): Promise<{ username: string; password: string; generated: boolean } | null> {
    if (!(await this.store.isEmpty(this.dialect.root))) return null;
    const chosen = password ?? randomBytes(15).toString('base64url');
    try {
      await this.insert('admin', chosen, 'admin');
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) return null;
      throw error;
    }
    return { username: 'admin', password: chosen, generated: password === undefined };
  }

  /** Throws AppError `validation_failed`, a name that is taken included. */
  async create(username: string, password: string, role: UserRole): Promise<void> {
    if (!USERNAME.test(username)) throw field('/username', 'must hold 1 to 64 of a-z, 0-9 and . _ -');
    checkPassword(password);
    try {
      await this.insert(username, password, role);
    } catch (error) {
      if (this.dialect.isUniqueViolation(error)) throw field('/username', 'is taken');
      throw error;
    }
  }

  /** The user whose password it is, or null. An unknown name costs as much time as a wrong password. */
  async authenticate(username: string, password: string): Promise<User | null> {
    const user = await this.store.withHash(this.dialect.root, username);
    this.decoy ??= hash(randomBytes(16), ARGON2);
    const matches = await verify(user?.passwordHash ?? (await this.decoy), password.slice(0, PASSWORD_LENGTH.max));
    return user && matches && !user.disabled ? toUser(user) : null;
  }

  /** False if there is no such user. */
  async setPassword(username: string, password: string): Promise<boolean> {
    checkPassword(password);
    return this.store.setPasswordHash(this.dialect.root, username, await hash(password, ARGON2));
  }

  async setDisabled(username: string, disabled: boolean): Promise<boolean> {
    return this.store.setDisabled(this.dialect.root, username, disabled ? 1 : 0);
  }

  async list(): Promise<User[]> {
    return (await this.store.all(this.dialect.root)).map(toUser);
  }

  private async insert(username: string, password: string, role: UserRole): Promise<void> {
    const passwordHash = await hash(password, ARGON2);
    await this.store.insert(this.dialect.root, { username, passwordHash, role, disabled: 0, createdAt: this.clock.now() });
  }
}

function toUser(row: UserRow): User {
  return { username: row.username, role: row.role, disabled: row.disabled !== 0, createdAt: Number(row.createdAt) };
}

function checkPassword(password: string): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min || password.length > max) throw field('/password', `must have ${min} to ${max} characters`);
}

function field(pointer: string, message: string): AppError {
  return AppError.fields([{ pointer, code: 'bad_format', message }]);
}
