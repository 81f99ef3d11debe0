import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditService } from '../../auth/audit.service.js';
import type { ConsoleCaller, ConsoleRequest } from '../../auth/console-caller.js';
import { setSessionCookie } from '../../auth/session-cookie.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { type User, UsersService } from '../../auth/users.service.js';
import { anyText, rules } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { heldBy } from '../../decisions/permissions.js';
import { Clock } from '../../platform/clock.js';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import type { ChangeOwnPassword, SessionEntry, SessionView, SignIn } from '../contract/session.js';
import { bodyOf, iso, notFound } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';

const SIGN_IN = rules({ username: anyText(256), password: anyText(1_024) });
const CHANGE_PASSWORD = rules({ currentPassword: anyText(1_024), newPassword: anyText(1_024) });

/** Signing in and out, and what one may do with one's own sessions and password. */
@Injectable()
export class ConsoleSessionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly trail: Trail,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** A refusal is the same whether the name, the password or the user's state is wrong. Throws AppError. */
  async signIn(request: FastifyRequest, reply: FastifyReply): Promise<SessionView> {
    const { username, password } = bodyOf<SignIn>(request, SIGN_IN, ['username', 'password']);
    const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? null };
    const traces = { actorIp: from.address, userAgent: from.userAgent, requestId: request.id };
    const signedIn = await this.sessions.signIn(username, password, from);
    const object = { type: 'user', id: username };
    if (!signedIn) {
      await this.audit.note({ ...traces, actor: `user:${username}`, action: 'session.refused', object });
      throw new AppError('auth_failed', 'name and password do not belong together');
    }
    await this.audit.note({ ...traces, actor: `user:${username}`, action: 'session.opened', object });
    setSessionCookie(request, reply, this.config.publicPath, signedIn.token);
    return this.view(signedIn.user, this.clock.now() + this.config.sessionMaxMs);
  }

  async whoAmI({ caller }: ConsoleRequest): Promise<SessionView> {
    const { username, rights, session } = caller;
    return this.view({ username, role: rights.role, grants: Object.fromEntries(rights.grants) }, session.expiresAt);
  }

  async signOut(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { caller } = request;
    await this.sessions.end(caller.userId, caller.session.id);
    setSessionCookie(request, reply, this.config.publicPath, null);
    const { tell: _, ...author } = authorOf(caller, reply);
    await this.audit.note({ ...author, action: 'session.closed', object: { type: 'user', id: caller.username } });
  }

  /** Guessing the current one is as slow as signing in. Throws AppError. */
  async changePassword(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { caller } = request;
    const body = bodyOf<ChangeOwnPassword>(request, CHANGE_PASSWORD, ['currentPassword', 'newPassword']);
    if (!(await this.sessions.verify(caller.username, body.currentPassword, caller.address))) {
      throw AppError.fields([{ pointer: '/currentPassword', code: 'not_allowed', ...said('wrong_password') }]);
    }
    await this.users.setPassword(caller.username, body.newPassword, {
      pointer: '/newPassword',
      keepSession: caller.session.id,
      witness: this.trail.of(authorOf(caller, reply), {
        action: 'user.own_password_changed',
        type: 'user',
        id: (user: User) => user.username,
        show: () => null,
      }),
    });
    this.sessions.announceEnds();
  }

  async own({ caller }: ConsoleRequest): Promise<{ items: SessionEntry[] }> {
    return { items: await this.entries(caller.userId, caller) };
  }

  async entries(userId: number, caller: ConsoleCaller): Promise<SessionEntry[]> {
    return (await this.sessions.ofUser(userId)).map((row) => ({
      id: row.sessionId,
      current: row.sessionId === caller.session.id,
      createdAt: iso(row.createdAt),
      seenAt: iso(row.seenAt),
      expiresAt: iso(row.expiresAt),
      address: row.clientIp,
      userAgent: row.userAgent,
    }));
  }

  /** Of one's own or, for an admin, of another user. Throws AppError `not_found`. */
  async end(user: Pick<User, 'id' | 'username'>, sessionId: string, caller: ConsoleCaller, reply: FastifyReply): Promise<void> {
    if (!(await this.sessions.end(user.id, sessionId))) throw notFound('session');
    const { tell, ...author } = authorOf(caller, reply);
    tell(await this.audit.note({ ...author, action: 'session.revoked', object: { type: 'user', id: user.username } }));
  }

  endOwn({ caller }: ConsoleRequest, reply: FastifyReply, sessionId: string): Promise<void> {
    return this.end({ id: caller.userId, username: caller.username }, sessionId, caller, reply);
  }

  private view({ username, role, grants }: Pick<User, 'username' | 'role' | 'grants'>, expiresAt: number): SessionView {
    return {
      username,
      role,
      grants,
      ...heldBy({ role, grants: new Map(Object.entries(grants)) }),
      expiresAt: iso(expiresAt),
      idleMs: this.config.sessionIdleMs,
      serverTime: iso(this.clock.now()),
      defaultTimeZone: this.config.defaultTimezone,
    };
  }
}
