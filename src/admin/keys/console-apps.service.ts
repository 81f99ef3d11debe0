import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import type { AccessKeyRow } from '../../auth/access-keys.store.js';
import { appDeed } from '../../auth/app-deed.js';
import { type App, AppsService, revisionOfApp } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { CallbackHostsService } from '../../callbacks/callback-hosts.service.js';
import { anyText, checkMembers, decimal, isObject, type Rule, rules, text, typeOf } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { AppError } from '../../platform/errors.js';
import type { AppList, AppView, ChangeApp, CreateApp } from '../contract/keys.js';
import { bodyOf, iso, isoOrNull, listOf, notFound, orNull, queryOf, reasonRule, staleChange } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';

const rate = decimal(0.001, 10_000_000);
const LIMITS = rules({
  requestsPerSecond: rate,
  requestBurst: rate,
  tasksPerSecond: rate,
  taskBurst: rate,
  unfinishedTasks: rate,
  pendingCallbacks: rate,
});
const limits: Rule = (value, pointer, findings) => {
  if (isObject(value)) checkMembers(value, LIMITS, pointer, findings);
  else findings.add(pointer, 'wrong_type', said('object', { got: typeOf(value) }));
};
const name = text(128, /\S/, 'must not be blank');
const SHARED = { name, defaultGroup: anyText(64), groups: listOf(anyText(64), 1_000) };
const CREATE = rules({ ...SHARED, limits });
const CHANGE = rules({ ...SHARED, limits: orNull(limits), revision: anyText(64), reason: reasonRule });

/** Partners: their names, the groups they may use, their limits. */
@Injectable()
export class ConsoleAppsService {
  constructor(
    private readonly apps: AppsService,
    private readonly keys: AccessKeysService,
    private readonly groups: GroupsService,
    private readonly trail: Trail,
    private readonly hosts: CallbackHostsService,
  ) {}

  async list(request: ConsoleRequest): Promise<AppList> {
    queryOf(request, {});
    const keys = await this.keys.all();
    const apps = await this.apps.list();
    const hosts = await this.hosts.all();
    return { items: apps.reverse().map((app) => this.view(app, keys, hosts)), nextCursor: null };
  }

  async get(id: string): Promise<AppView> {
    return this.view(await this.found(id), await this.keys.all(), await this.hosts.all());
  }

  async create(request: ConsoleRequest, reply: FastifyReply): Promise<AppView> {
    const stated = bodyOf<CreateApp>(request, CREATE, ['name', 'defaultGroup']);
    this.checkGroups(stated);
    const app = await this.apps.create(stated, this.trail.of(authorOf(request.caller, reply), appDeed('app.created')));
    return this.view(app, [], new Map());
  }

  async change(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<AppView> {
    const { reason, ...change } = bodyOf<ChangeApp>(request, CHANGE);
    this.checkGroups(change);
    const app = await this.apps.change(
      id,
      change,
      this.trail.of(authorOf(request.caller, reply, reason), appDeed('app.changed')),
    );
    if (!app) throw notFound('app');
    if (app === 'stale') throw staleChange('the app', await this.get(id));
    this.keys.appChanged();
    return this.view(app, await this.keys.all(), await this.hosts.all());
  }

  async found(id: string): Promise<App> {
    const app = await this.apps.findByPublicId(id);
    if (!app) throw notFound('app');
    return app;
  }

  private checkGroups({ defaultGroup, groups = [] }: Pick<ChangeApp, 'defaultGroup' | 'groups'>): void {
    const errors = [
      ...(defaultGroup !== undefined && !this.groups.byKey(defaultGroup) ? ['/defaultGroup'] : []),
      ...groups.flatMap((key, index) => (this.groups.byKey(key) ? [] : [`/groups/${index}`])),
    ];
    if (errors.length > 0)
      throw AppError.fields(errors.map((pointer) => ({ pointer, code: 'not_allowed', ...said('not_a_group') })));
  }

  private view(app: App, keys: readonly AccessKeyRow[], hosts: ReadonlyMap<number, string[]>): AppView {
    const own = keys.filter(({ appId }) => appId === app.id);
    const lastUsedAt = own.reduce<number | null>((last, key) => Math.max(last ?? 0, key.lastUsedAt ?? 0) || null, null);
    return {
      id: app.publicId,
      name: app.name,
      defaultGroup: app.defaultGroup,
      groups: [...app.groups],
      limits: app.limits,
      createdAt: iso(app.createdAt),
      activeKeys: own.filter((key) => this.keys.isActive(key)).length,
      lastUsedAt: isoOrNull(lastUsedAt),
      callbackHosts: hosts.get(app.id) ?? [],
      revision: revisionOfApp(app),
    };
  }
}
