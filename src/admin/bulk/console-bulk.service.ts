import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ConsoleCaller, type ConsoleRequest, demand, permissionDenied } from '../../auth/console-caller.js';
import { pointerToken } from '../../decisions/field-rules.js';
import { type Said, said } from '../../decisions/field-sentences.js';
import { PARAM } from '../../decisions/param-filter.js';
import { groupsWith, may, mayAnywhere } from '../../decisions/permissions.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { isId, newId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import type {
  BulkChange,
  BulkFilter,
  BulkItems,
  BulkKind,
  BulkList,
  BulkPreview,
  BulkState,
  BulkView,
  PreviewBulk,
  StartBulk,
} from '../contract/bulk.js';
import type { Instant } from '../contract/page.js';
import { bodyOf, iso, isoOrNull, limitParameter, notFound, PAGE, pageOf, queryOf, REASON_ONLY, words } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { type BulkOperation, BulkStore, type FrozenFilter } from './bulk.store.js';
import { BULK_PERMISSIONS, BulkActions } from './bulk-actions.js';
import { NEEDED, PREVIEW, START } from './bulk-rules.js';
import { BulkRunner } from './bulk-runner.js';
import { partsOfDetail } from './item-detail.js';

const cursor = { parse: (value: string) => (isId('bulk', value) ? value : undefined), rule: said('cursor') };
const itemCursor = {
  parse: (value: string) => (isId('task', value) || isId('job', value) ? value : undefined),
  rule: said('cursor'),
};
/** Members that only one of the two kinds of objects has: ignoring one would act on more than was meant. */
const ONLY_TASKS = [
  'job',
  'worker',
  'clientRequestId',
  'flowId',
  'parentId',
  'trigger',
  'late',
  'endedFrom',
  'from',
  'to',
] as const;
const ONLY_JOBS = ['owner', 'tag', 'q'] as const;

/** One action on everything a filter finds, as it was at one moment, in the groups where the caller may. */
@Injectable()
export class ConsoleBulkService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: BulkStore,
    private readonly actions: BulkActions,
    private readonly runner: BulkRunner,
    private readonly groups: GroupsService,
    private readonly trail: Trail,
    private readonly clock: Clock,
  ) {}

  async preview(request: ConsoleRequest): Promise<BulkPreview> {
    const stated = bodyOf<PreviewBulk>(request, PREVIEW, ['kind', 'filter']);
    const frozen = await this.frozen(request.caller, stated);
    const { eligible, skipped, obstacles, withoutWorker } = await this.actions.count(stated.kind, frozen);
    const seen = { ...frozen, group: this.groupsIn(request.caller, stated.filter.group, stated.kind, true) };
    const visible = await this.actions.count(stated.kind, seen);
    const { items } = await this.actions.stretch(stated.kind, frozen, null, 20);
    const notAllowed = Math.max(0, visible.eligible.count - eligible.count);
    const { change = null, ...shown } = frozen;
    return { eligible, skipped, notAllowed, obstacles, withoutWorker, sample: items, frozen: shown, change };
  }

  async start(request: ConsoleRequest, reply: FastifyReply): Promise<BulkView> {
    const { reason, frozenAt, ...stated } = bodyOf<StartBulk>(request, START, ['kind', 'filter', 'reason']);
    const filter = await this.frozen(request.caller, stated, frozenAt);
    const { eligible } = await this.actions.count(stated.kind, filter);
    const author = authorOf(request.caller, reply, reason);
    const operation: BulkOperation = {
      id: newId('bulk'),
      kind: stated.kind,
      filter,
      reason,
      askedBy: author.actor,
      state: 'running',
      cursor: null,
      expected: eligible,
      done: 0,
      skipped: 0,
      failed: 0,
      createdAt: Math.floor(this.clock.now()),
      endedAt: null,
    };
    await this.dialect.transaction(async (tx) => {
      await this.store.insert(tx, operation);
      const { change, ...chosen } = filter;
      const after = { kind: operation.kind, filter: chosen, ...(change ? { change } : {}), expected: eligible };
      await this.trail.write(
        tx,
        { ...author, bulkId: operation.id },
        { action: 'bulk.started', object: { type: 'bulk', id: operation.id }, after },
      );
    });
    this.runner.wake();
    return viewOf(operation);
  }

  async list(request: ConsoleRequest): Promise<BulkList> {
    const { limit = PAGE, cursor: before } = queryOf(request, { cursor, limit: limitParameter });
    const { caller } = request;
    const askedBy = may(caller.rights, 'tasks.view', null) ? null : `user:${caller.username}`;
    const { page, nextCursor } = pageOf(
      await this.store.list(this.dialect.root, askedBy, before, limit + 1),
      limit,
      ({ id }) => id,
    );
    return { items: page.map(viewOf), nextCursor };
  }

  async get({ caller }: ConsoleRequest, id: string): Promise<BulkView> {
    return viewOf(await this.found(caller, id));
  }

  async items(request: ConsoleRequest, id: string): Promise<BulkItems> {
    const outcomes = words(['done', 'skipped', 'failed'] as const);
    const {
      limit = PAGE,
      cursor: before,
      outcome,
    } = queryOf(request, { cursor: itemCursor, limit: limitParameter, outcome: outcomes });
    await this.found(request.caller, id);
    const rows = await this.store.items(this.dialect.root, id, outcome, before, limit + 1);
    const { page, nextCursor } = pageOf(rows, limit, ({ itemId }) => itemId);
    return {
      items: page.map(({ itemId, outcome, detail, actedAt }) => ({
        id: itemId,
        outcome,
        ...partsOfDetail(detail),
        at: iso(actedAt),
      })),
      nextCursor,
    };
  }

  async move(request: ConsoleRequest, reply: FastifyReply, id: string, verb: 'pause' | 'resume' | 'abort'): Promise<BulkView> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { caller } = request;
    const operation = await this.found(caller, id);
    const permission = BULK_PERMISSIONS[operation.kind];
    const { change } = operation.filter;
    for (const group of [...(operation.filter.group ?? []), ...(change?.group === undefined ? [] : [change.group])])
      if (!may(caller.rights, permission, group)) throw permissionDenied(permission, group);
    const [from, to, action] = MOVES[verb];
    const author = { ...authorOf(caller, reply, reason), bulkId: id };
    const moved = await this.dialect.transaction(async (tx) => {
      if (!(await this.store.move(tx, id, from, to, to === 'aborted' ? Math.floor(this.clock.now()) : null))) return false;
      const before = { state: operation.state };
      await this.trail.write(tx, author, { action, object: { type: 'bulk', id }, before, after: { state: to } });
      return true;
    });
    if (!moved) throw AppError.because('state_conflict', 'bulk_state', { bulkState: (await this.found(caller, id)).state });
    this.runner.wake();
    return this.get(request, id);
  }

  /** With its times fixed and the groups in which the caller may do it named. Throws AppError. */
  private async frozen(caller: ConsoleCaller, { kind, filter, change }: PreviewBulk, at?: Instant): Promise<FrozenFilter> {
    const permission = BULK_PERMISSIONS[kind];
    if (!mayAnywhere(caller.rights, permission)) throw permissionDenied(permission, null);
    const unfitting: readonly string[] = objectsOf(kind) === 'tasks' ? ONLY_JOBS : ONLY_TASKS;
    const ofTasks = (name: string) => objectsOf(kind) === 'jobs' && name.startsWith(PARAM);
    const foreign = Object.keys(filter).filter((name) => unfitting.includes(name) || ofTasks(name));
    if (foreign.length > 0)
      throw AppError.fields(
        foreign.map((name) => ({
          pointer: `/filter/${pointerToken(name)}`,
          code: 'not_allowed',
          ...said('not_for_kind', { kind }),
        })),
      );
    const now = this.clock.now();
    if (at !== undefined && Date.parse(at) > now)
      throw AppError.fields([{ pointer: '/frozenAt', code: 'out_of_range', ...said('not_future') }]);
    await this.checkFailedOf(caller, kind, filter);
    const checked = this.checkedChange(caller, kind, change);
    const frozen = {
      ...filter,
      group: this.groupsIn(caller, filter.group, kind),
      frozenAt: at === undefined ? iso(now) : iso(Date.parse(at)),
    };
    return checked ? { ...frozen, change: checked } : frozen;
  }

  /** An operation on the same kind of objects, which the caller may see and which is over: none of its items fails any more. */
  private async checkFailedOf(caller: ConsoleCaller, kind: BulkKind, { failedOf, ...others }: BulkFilter): Promise<void> {
    if (failedOf === undefined) return;
    const refused = (member: string, words: Said) =>
      AppError.fields([{ pointer: `/filter/${member}`, code: 'not_allowed', ...words }]);
    const beside = Object.keys(others).find((name) => name !== 'group');
    if (beside !== undefined) throw refused(beside, said('not_with_failed_of'));
    const operation = await this.lookUp(caller, failedOf);
    if (!operation) throw refused('failedOf', said('bulk_operation'));
    if (objectsOf(operation.kind) !== objectsOf(kind))
      throw refused('failedOf', said('bulk_objects', { of: objectsOf(operation.kind), wanted: objectsOf(kind) }));
    if (operation.endedAt === null) throw refused('failedOf', said('bulk_not_ended'));
  }

  /** What the kind needs and nothing else; a group in which the caller may edit jobs. Throws AppError. */
  private checkedChange(caller: ConsoleCaller, kind: BulkKind, change: BulkChange = {}): BulkChange | undefined {
    const needed = NEEDED[kind];
    const foreign = (Object.keys(change) as (keyof BulkChange)[]).filter((name) => name !== needed);
    if (foreign.length > 0)
      throw AppError.fields(
        foreign.map((name) => ({ pointer: `/change/${name}`, code: 'not_allowed', ...said('not_for_kind', { kind }) })),
      );
    if (!needed) return undefined;
    if (change[needed] === undefined)
      throw AppError.fields([{ pointer: `/change/${needed}`, code: 'required', ...said('required') }]);
    if (change.group !== undefined) {
      if (!this.groups.byKey(change.group) || !may(caller.rights, 'groups.view', change.group))
        throw AppError.fields([{ pointer: '/change/group', code: 'not_allowed', ...said('not_a_group') }]);
      demand(caller, 'jobs.edit', change.group);
    }
    return change;
  }

  private groupsIn({ rights }: ConsoleCaller, stated: BulkFilter['group'], kind: BulkKind, seenIsEnough = false): string[] {
    const wanted = this.groups
      .all()
      .map(({ key }) => key)
      .filter((key) => stated?.includes(key) ?? true);
    return groupsWith(rights, seenIsEnough ? `${objectsOf(kind)}.view` : BULK_PERMISSIONS[kind], wanted);
  }

  private async found(caller: ConsoleCaller, id: string): Promise<BulkOperation> {
    const operation = await this.lookUp(caller, id);
    if (!operation) throw notFound('operation');
    return operation;
  }

  /** Null also for one the caller may not see. */
  private async lookUp({ rights, username }: ConsoleCaller, id: string): Promise<BulkOperation | null> {
    const operation = isId('bulk', id) ? await this.store.find(this.dialect.root, id) : null;
    return operation && (operation.askedBy === `user:${username}` || may(rights, 'tasks.view', null)) ? operation : null;
  }
}

const objectsOf = (kind: BulkKind): 'tasks' | 'jobs' => (kind.startsWith('tasks.') ? 'tasks' : 'jobs');

const MOVES: Record<'pause' | 'resume' | 'abort', [from: BulkState[], to: BulkState, action: string]> = {
  pause: [['running'], 'paused', 'bulk.paused'],
  resume: [['paused'], 'running', 'bulk.resumed'],
  abort: [['running', 'paused'], 'aborted', 'bulk.aborted'],
};

const viewOf = ({ askedBy, cursor: _, createdAt, endedAt, filter, ...operation }: BulkOperation): BulkView => {
  const { change = null, ...chosen } = filter;
  return {
    ...operation,
    filter: chosen,
    change,
    by: askedBy,
    createdAt: iso(createdAt),
    endedAt: isoOrNull(endedAt),
  };
};
