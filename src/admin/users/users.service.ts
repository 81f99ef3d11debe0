import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { passwordDeed, userDeed } from '../../auth/user-deed.js';
import { revisionOf, type User, UsersService } from '../../auth/users.service.js';
import { anyText, flag, isObject, oneOf, pointerToken, type Rule, rules, typeOf } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { GLOBAL_ONLY, heldBy, ROLE_PERMISSIONS, ROLES } from '../../decisions/permissions.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { AppError } from '../../platform/errors.js';
import type { ChangeUser, CreateUser, RolesAnswer, SetPassword, UserDetail, UserView } from '../contract/users.js';
import { bodyOf, iso, isoOrNull, notFound, queryOf, REASON_QUERY, reasonRule, staleChange } from '../request-parts.js';
import { ConsoleSessionService } from '../session/session.service.js';
import { authorOf, Trail } from '../trail.js';

const role = oneOf([...ROLES, 'none']);
const grants: Rule = (value, pointer, findings) => {
  if (!isObject(value)) findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
  else for (const [group, stated] of Object.entries(value)) oneOf(ROLES)(stated, `${pointer}/${pointerToken(group)}`, findings);
};
const CREATE = rules({ username: anyText(64), password: anyText(1_024), role, grants });
const CHANGE = rules({ revision: anyText(64), role, grants, disabled: flag, reason: reasonRule });
const PASSWORD = rules({ password: anyText(1_024) });

/** Admins give people rights. What is changed counts from their next request on. */
@Injectable()
export class ConsoleUsersService {
  constructor(
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly ownSessions: ConsoleSessionService,
    private readonly groups: GroupsService,
    private readonly trail: Trail,
  ) {}

  async list(): Promise<{ items: UserView[] }> {
    return { items: await Promise.all((await this.users.list()).map((user) => this.view(user))) };
  }

  async get(username: string): Promise<UserDetail> {
    const user = await this.found(username);
    const { role, grants } = user.disabled ? ({ role: 'none', grants: {} } as const) : user;
    return { ...(await this.view(user)), ...heldBy({ role, grants: new Map(Object.entries(grants)) }) };
  }

  roles(): RolesAnswer {
    const permissions = ROLES.map((name) => [name, [...ROLE_PERMISSIONS[name]]]);
    return { roles: Object.fromEntries(permissions) as RolesAnswer['roles'], globalOnly: [...GLOBAL_ONLY] };
  }

  async create(request: ConsoleRequest, reply: FastifyReply): Promise<UserView> {
    const stated = bodyOf<CreateUser>(request, CREATE, ['username', 'password', 'role']);
    this.checkGroups(stated.grants);
    const witness = this.trail.of(authorOf(request.caller, reply), userDeed('user.created'));
    await this.users.create(stated.username, stated.password, stated.role, stated.grants, witness);
    return this.view(await this.found(stated.username));
  }

  async change(request: ConsoleRequest, reply: FastifyReply, username: string): Promise<UserView> {
    const { reason, ...change } = bodyOf<ChangeUser>(request, CHANGE);
    this.checkGroups(change.grants);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), userDeed('user.changed'));
    const user = await this.users.change(username, change, witness);
    if (!user) throw notFound('user');
    if (user === 'stale') throw staleChange('the user', await this.view(await this.found(username)));
    this.sessions.announceEnds();
    return this.view(user);
  }

  async setPassword(request: ConsoleRequest, reply: FastifyReply, username: string): Promise<void> {
    const { password } = bodyOf<SetPassword>(request, PASSWORD, ['password']);
    const witness = this.trail.of(authorOf(request.caller, reply), passwordDeed);
    if (!(await this.users.setPassword(username, password, { witness }))) throw notFound('user');
    this.sessions.announceEnds();
  }

  async remove(request: ConsoleRequest, reply: FastifyReply, username: string): Promise<void> {
    const { reason } = queryOf(request, REASON_QUERY);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), userDeed('user.deleted'));
    if (!(await this.users.remove(username, witness))) throw notFound('user');
    this.sessions.announceEnds();
  }

  async sessionsOf({ caller }: ConsoleRequest, username: string) {
    return { items: await this.ownSessions.entries((await this.found(username)).id, caller) };
  }

  async endSession({ caller }: ConsoleRequest, reply: FastifyReply, username: string, sessionId: string): Promise<void> {
    await this.ownSessions.end(await this.found(username), sessionId, caller, reply);
  }

  private async found(username: string): Promise<User> {
    const user = await this.users.find(username);
    if (!user) throw notFound('user');
    return user;
  }

  private checkGroups(stated: CreateUser['grants'] = {}): void {
    const unknown = Object.keys(stated).filter((key) => !this.groups.byKey(key));
    if (unknown.length === 0) return;
    throw AppError.fields(
      unknown.map((key) => ({ pointer: `/grants/${pointerToken(key)}`, code: 'not_allowed', ...said('not_a_group') })),
    );
  }

  private async view(user: User): Promise<UserView> {
    const { username, role, grants, disabled } = user;
    const sessions = (await this.sessions.ofUser(user.id)).length;
    const times = { createdAt: iso(user.createdAt), lastSignInAt: isoOrNull(user.lastSignInAt) };
    return { username, role, grants, disabled, ...times, sessions, revision: revisionOf(user) };
  }
}
