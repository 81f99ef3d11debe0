import { ROUTINGS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { GROUP_KEY } from '../../decisions/check-submission.js';
import { anyText, integer, oneOf, rules, text } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { may, PERMISSIONS, type Permission } from '../../decisions/permissions.js';
import { type ArchiveOutcome, type Group, settingsOf } from '../../jobs/group.js';
import { groupDeed } from '../../jobs/group-deed.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { ChangeGroup, CreateGroup, GroupList, GroupView, HoldGroup } from '../contract/groups.js';
import {
  bodyOf,
  instantRule,
  iso,
  isoOrNull,
  notFound,
  orNull,
  queryOf,
  REASON_ONLY,
  reasonRule,
  words,
} from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { type GroupFigures, GroupFiguresStore } from './group-figures.store.js';

const SETTINGS = {
  maxRunning: integer(0, 1_000_000),
  maxPending: integer(0, 100_000_000),
  maxDispatchRate: orNull(integer(1, 1_000_000)),
  routing: orNull(oneOf(ROUTINGS)),
  // Checked with the rest of the settings where groups are kept.
  policies: () => {},
};
const CREATE = rules({
  key: text(64, GROUP_KEY, 'must start with a letter or digit and hold only letters, digits and . _ -'),
  ...SETTINGS,
});
const CHANGE = rules({ revision: anyText(64), reason: reasonRule, ...SETTINGS });
const HOLD = rules({ reason: anyText(255), until: instantRule });

/** Groups: how full they are, what they may, and holding them. */
@Injectable()
export class ConsoleGroupsService {
  constructor(
    private readonly groups: GroupsService,
    private readonly figures: GroupFiguresStore,
    private readonly workers: WorkersService,
    private readonly dialect: SqlDialect,
    private readonly clock: Clock,
    private readonly trail: Trail,
  ) {}

  /** Archived ones only if they are asked for. */
  async list(request: ConsoleRequest): Promise<GroupList> {
    const { caller } = request;
    const { archived } = queryOf(request, { archived: words(['true', 'false']) });
    const seen = this.visible(caller)
      .filter(({ archivedAt }) => archivedAt === null || archived === 'true')
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    return { items: await this.views(seen, caller) };
  }

  async get({ caller }: ConsoleRequest, key: string): Promise<GroupView> {
    return this.view(this.found(caller, key), caller);
  }

  async create(request: ConsoleRequest, reply: FastifyReply): Promise<GroupView> {
    const { key, ...settings } = bodyOf<CreateGroup>(request, CREATE, ['key']);
    const witness = this.trail.of(authorOf(request.caller, reply), groupDeed('group.created'));
    const outcome = await this.groups.create(key, settings, witness);
    if (outcome.outcome === 'key_taken') throw AppError.fields([{ pointer: '/key', code: 'not_unique', ...said('group_taken') }]);
    return this.view(outcome.group, request.caller);
  }

  async change(request: ConsoleRequest, reply: FastifyReply, key: string): Promise<GroupView> {
    const { revision, reason, ...settings } = bodyOf<ChangeGroup>(request, CHANGE, ['revision']);
    const { caller } = request;
    this.found(caller, key, 'groups.edit');
    const witness = this.trail.of(authorOf(caller, reply, reason), groupDeed('group.changed'));
    const outcome = await this.groups.update(key, versionOf(revision), settings, witness);
    if (outcome.outcome === 'not_found') throw notFound('group');
    if (outcome.outcome === 'changed') return this.view(outcome.group, caller);
    const current = await this.view(outcome.current, caller);
    throw new AppError('version_conflict', 'the group was changed since it was read', { members: { current } });
  }

  async hold(request: ConsoleRequest, reply: FastifyReply, key: string): Promise<GroupView> {
    const { reason, until } = bodyOf<HoldGroup>(request, HOLD, ['reason']);
    const at = until === undefined ? null : Date.parse(until);
    if (at !== null && at <= this.clock.now())
      throw AppError.fields([{ pointer: '/until', code: 'out_of_range', ...said('future') }]);
    this.found(request.caller, key, 'groups.hold');
    const witness = this.trail.of(authorOf(request.caller, reply, reason), groupDeed('group.held'));
    return this.written(request, await this.groups.hold(key, reason, at, witness));
  }

  async release(request: ConsoleRequest, reply: FastifyReply, key: string): Promise<GroupView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    this.found(request.caller, key, 'groups.hold');
    const witness = this.trail.of(authorOf(request.caller, reply, reason), groupDeed('group.released'));
    return this.written(request, await this.groups.release(key, witness));
  }

  async archive(request: ConsoleRequest, reply: FastifyReply, key: string): Promise<GroupView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    this.found(request.caller, key, 'groups.edit');
    const witness = this.trail.of(authorOf(request.caller, reply, reason), groupDeed('group.archived'));
    return this.archived(request, await this.groups.archive(key, witness), already(key, 'group_archived_already'));
  }

  async unarchive(request: ConsoleRequest, reply: FastifyReply, key: string): Promise<GroupView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    this.found(request.caller, key, 'groups.edit');
    const witness = this.trail.of(authorOf(request.caller, reply, reason), groupDeed('group.unarchived'));
    return this.archived(request, await this.groups.unarchive(key, witness), already(key, 'group_not_archived'));
  }

  private archived(request: ConsoleRequest, outcome: ArchiveOutcome, unchanged: AppError): Promise<GroupView> {
    switch (outcome.outcome) {
      case 'not_found':
        throw notFound('group');
      case 'unchanged':
        throw unchanged;
      case 'has_jobs': {
        const { jobs } = outcome;
        throw AppError.because('state_conflict', 'group_has_jobs', { jobs }, { members: { jobs } });
      }
      case 'changed':
        return this.view(outcome.group, request.caller);
    }
  }

  /** The groups in which the caller has the permission. */
  visible({ rights }: ConsoleCaller, permission: Permission = 'groups.view'): Group[] {
    return this.groups.all().filter(({ key }) => may(rights, permission, key));
  }

  /** Throws AppError: `not_found` for one the caller may not see, `permission_denied` for one where they may not do this. */
  found(caller: ConsoleCaller, key: string, permission: Permission = 'groups.view'): Group {
    const group = this.groups.byKey(key);
    if (!group || !may(caller.rights, 'groups.view', key)) throw notFound('group');
    demand(caller, permission, key);
    return group;
  }

  async figuresOf(groups: readonly Group[]): Promise<Map<number, GroupFigures>> {
    return groups.length === 0
      ? new Map()
      : this.figures.of(
          this.dialect.root,
          groups.map(({ id }) => id),
        );
  }

  private async written(request: ConsoleRequest, group: Group | null): Promise<GroupView> {
    if (!group) throw notFound('group');
    return this.view(group, request.caller);
  }

  private async view(group: Group, caller: ConsoleCaller): Promise<GroupView> {
    return (await this.views([group], caller))[0] as GroupView;
  }

  private async views(groups: readonly Group[], { rights }: ConsoleCaller): Promise<GroupView[]> {
    const [figures, jobs] = [await this.figuresOf(groups), await this.figures.jobs(this.dialect.root)];
    const workers = this.workers.all().filter(({ state }) => state === 'online');
    return groups.map((group) => {
      const { running, pending, capped, oldestDueAt } = figures.get(group.id) as GroupFigures;
      const own = workers.filter(({ offer }) => offer.groups.includes(group.key));
      return {
        key: group.key,
        partition: group.partition,
        ...settingsOf(group),
        hold: this.groups.isHeld(group) ? { reason: group.holdReason, until: isoOrNull(group.heldUntil) } : null,
        archivedAt: isoOrNull(group.archivedAt),
        running,
        pending: { count: pending, capped },
        oldestPendingDueAt: oldestDueAt === null ? null : iso(oldestDueAt),
        workers: {
          online: own.filter(({ draining, cordon }) => !draining && !cordon).length,
          draining: own.filter(({ draining }) => draining).length,
          cordoned: own.filter(({ draining, cordon }) => !draining && cordon).length,
        },
        jobs: jobs.get(group.id) ?? 0,
        revision: String(group.version),
        permissions: PERMISSIONS.filter((permission) => may(rights, permission, group.key)),
      };
    });
  }
}

/** No group has the version 0, so a revision nobody was given conflicts. */
const versionOf = (revision: string): number => (/^\d{1,9}$/.test(revision) ? Number(revision) : 0);

const already = (group: string, reason: 'group_archived_already' | 'group_not_archived'): AppError =>
  AppError.because('state_conflict', reason, { group });
