import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Rights } from '../decisions/permissions.js';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { newId } from '../platform/ids.js';
import { Signals, SqlDialect } from '../ports.js';
import { type SessionRow, SessionsStore } from './sessions.store.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { type User, UsersService } from './users.service.js';
import { UsersStore } from './users.store.js';

const ENDED = 'sessions.ended';
/** How stale `seen_at` may get, so that a request seldom writes. */
const TOUCH_MS = 60_000;

export interface LiveSession {
  id: string;
  userId: number;
  username: string;
  rights: Rights;
  expiresAt: number;
}

/**
 * Who is signed in. The table is the authority and is asked at every request, so a session that is revoked, or whose user is
 * disabled or given other rights, counts for nothing at once and on every node. The browser's token is kept only as its hash.
 */
@Injectable()
export class SessionsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SessionsStore,
    private readonly users: UsersService,
    private readonly usersStore: UsersStore,
    private readonly throttle: SignInThrottle,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly signals: Signals,
  ) {}

  /** The token for the browser; null if name and password do not belong together. Throws AppError `auth_throttled`. */
  async signIn(
    username: string,
    password: string,
    from: { address: string; userAgent: string | null },
  ): Promise<{ token: string; user: User } | null> {
    await this.throttle.take(username, from.address);
    const user = await this.users.authenticate(username, password);
    if (!user) return null;
    const token = randomBytes(32).toString('base64url');
    const now = Math.floor(this.clock.now());
    await this.dialect.transaction(async (tx) => {
      await this.store.forgetEnded(tx, user.id, now, this.config.sessionIdleMs);
      await this.store.insert(tx, {
        idHash: hashOf(token),
        sessionId: newId('ses'),
        userId: user.id,
        createdAt: now,
        seenAt: now,
        expiresAt: now + this.config.sessionMaxMs,
        clientIp: from.address.slice(0, 64),
        userAgent: from.userAgent?.slice(0, 255) ?? null,
      });
      await this.usersStore.noteSignIn(tx, user.id, now);
    });
    return { token, user };
  }

  /** Whether it is the user's password; a try counts like one to sign in. Throws AppError `auth_throttled`. */
  async verify(username: string, password: string, address: string): Promise<boolean> {
    await this.throttle.take(username, address);
    return (await this.users.authenticate(username, password)) !== null;
  }

  /** The session of the token, and that it is used; null if there is none that lives. */
  async find(token: string): Promise<LiveSession | null> {
    const now = Math.floor(this.clock.now());
    const { root } = this.dialect;
    const row = await this.store.live(root, hashOf(token), now, this.config.sessionIdleMs);
    if (!row) return null;
    if (now - row.seenAt > TOUCH_MS) await this.store.touch(root, [row.sessionId], now);
    const rights = { role: row.role, grants: new Map(await this.usersStore.grantsOf(root, row.userId)) };
    return { id: row.sessionId, userId: row.userId, username: row.username, rights, expiresAt: row.expiresAt };
  }

  /** Those of the sessions that live, with what may be done in them; it does not count as their use. */
  async stillLive(sessionIds: readonly string[]): Promise<Map<string, Rights>> {
    const { clock, config } = this;
    const { root } = this.dialect;
    const rows = await this.store.stillLive(root, sessionIds, Math.floor(clock.now()), config.sessionIdleMs);
    const alive = new Map<string, Rights>();
    for (const { sessionId, userId, role } of rows)
      alive.set(sessionId, { role, grants: new Map(await this.usersStore.grantsOf(root, userId)) });
    return alive;
  }

  /** Last used first. */
  ofUser(userId: number): Promise<SessionRow[]> {
    return this.store.ofUser(this.dialect.root, userId, Math.floor(this.clock.now()), this.config.sessionIdleMs);
  }

  /** False if the user has no such session. */
  async end(userId: number, sessionId: string): Promise<boolean> {
    const found = await this.store.remove(this.dialect.root, userId, sessionId);
    this.announceEnds();
    return found;
  }

  /** Sessions may have ended: whoever serves one for long looks again. */
  announceEnds(): void {
    this.signals.publish(ENDED, {});
  }

  onEnds(listener: () => void): () => void {
    return this.signals.subscribe(ENDED, listener);
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
