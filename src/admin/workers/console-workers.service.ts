import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { rules } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import { may, PERMISSIONS } from '../../decisions/permissions.js';
import { cordonDeed, drainDeed, forgetDeed } from '../../dispatch/drain-deeds.js';
import { DrainsService } from '../../dispatch/drains.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { shownStateOf, type WorkerView } from '../../registry/worker.js';
import { WorkersService } from '../../registry/workers.service.js';
import type {
  DrainedWorker,
  DrainWorker,
  WorkerDetail,
  WorkerList,
  WorkerLoad,
  WorkerStateName,
  WorkerSummary,
} from '../contract/workers.js';
import {
  bodyOf,
  instantRule,
  iso,
  isoOrNull,
  notFound,
  queryOf,
  REASON_ONLY,
  REASON_QUERY,
  reasonRule,
  shortText,
  words,
} from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { explainLoad, ifDrained, loadsOfAll, type ScoredWorker } from './worker-loads.js';

const STATES: readonly WorkerStateName[] = ['online', 'suspect', 'draining', 'drained', 'cordoned', 'offline', 'suspended'];
const DRAIN = rules({ reason: reasonRule, deadlineAt: instantRule });
const QUERY = { group: shortText(64), state: words(STATES), handler: shortText(255) };

/** Workers as this node knows them, at most about a second behind. Seen by whoever may see one of their groups. */
@Injectable()
export class ConsoleWorkersService {
  constructor(
    private readonly workers: WorkersService,
    private readonly trail: Trail,
    private readonly drains: DrainsService,
    private readonly clock: Clock,
  ) {}

  async list(request: ConsoleRequest): Promise<WorkerList> {
    const { group, state, handler } = queryOf(request, QUERY);
    const loads = this.loads();
    const items = this.visible(request.caller)
      .filter((worker) => group === undefined || groupsSeen(worker, request.caller).includes(group))
      .filter(({ offer }) => handler === undefined || offer.handlers.some(({ name }) => name === handler))
      .map((worker) => summaryOf(worker, loads, request.caller))
      .filter((worker) => state === undefined || worker.state === state)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return { items };
  }

  async get({ caller }: ConsoleRequest, id: string): Promise<WorkerDetail> {
    return this.detail(this.found(caller, id), caller);
  }

  async load(request: ConsoleRequest, id: string): Promise<WorkerLoad> {
    const { group } = queryOf(request, { group: shortText(64) });
    const { caller } = request;
    const { offer } = this.found(caller, id);
    const seen = groupsSeen({ offer }, caller);
    const chosen = group ?? (seen[0] as string);
    if (!seen.includes(chosen)) throw notFound('group of this worker');
    return { ...explainLoad(chosen, id, this.loadsOf(chosen)), ifDrained: ifDrained(chosen, id, this.workers.all()) };
  }

  /** Takes it out of service; says which due work nobody else takes. */
  async drain(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<DrainedWorker> {
    const { reason, deadlineAt: stated } = bodyOf<DrainWorker>(request, DRAIN);
    const deadlineAt = stated === undefined ? null : Date.parse(stated);
    if (deadlineAt !== null && deadlineAt <= this.clock.now())
      throw AppError.fields([{ pointer: '/deadlineAt', code: 'out_of_range', ...said('future') }]);
    const worker = this.drainable(request.caller, id);
    const author = authorOf(request.caller, reply, reason);
    const witness = this.trail.of(author, drainDeed('worker.drain_asked', worker.offer.groups));
    const outcome = await this.drains.drain(id, { reason: reason ?? null, by: author.actor, deadlineAt }, witness);
    if (!outcome.found) throw notFound('worker');
    await this.workers.reread([id]);
    return { ...(await this.get(request, id)), warnings: outcome.warnings };
  }

  async undrain(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<WorkerDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const worker = this.drainable(request.caller, id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), drainDeed('worker.drain_undone', worker.offer.groups));
    if (!(await this.drains.undrain(id, witness))) throw notFound('worker');
    await this.workers.reread([id]);
    return this.get(request, id);
  }

  /** Keeps new orders from it; what it has goes on, and it is not told. Says which due work nobody else takes. */
  async cordon(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<DrainedWorker> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const worker = this.drainable(request.caller, id);
    const author = authorOf(request.caller, reply, reason);
    const witness = this.trail.of(author, cordonDeed('worker.cordoned', worker.offer.groups));
    const outcome = await this.drains.cordon(id, { reason: reason ?? null, by: author.actor }, witness);
    if (!outcome.found) throw notFound('worker');
    await this.workers.reread([id]);
    return { ...(await this.get(request, id)), warnings: outcome.warnings };
  }

  async uncordon(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<WorkerDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const worker = this.drainable(request.caller, id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), cordonDeed('worker.uncordoned', worker.offer.groups));
    if (!(await this.drains.uncordon(id, witness))) throw notFound('worker');
    await this.workers.reread([id]);
    return this.get(request, id);
  }

  /** Takes a worker that is lost or has left off the list. */
  async forget(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<void> {
    const { reason } = queryOf(request, REASON_QUERY);
    const worker = this.drainable(request.caller, id);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), forgetDeed(worker.offer.groups));
    const outcome = await this.drains.forget(id, witness);
    if (outcome === 'not_found') throw notFound('worker');
    if (outcome === 'not_lost') throw AppError.because('state_conflict', 'worker_not_lost');
    await this.workers.reread([id]);
  }

  /** A drain concerns all its groups, so it needs the right in each of them. */
  private drainable(caller: ConsoleCaller, id: string): WorkerView {
    const worker = this.found(caller, id);
    const seen = groupsSeen(worker, caller);
    for (const group of seen) demand(caller, 'workers.drain', group);
    // A group one may not see is not named: they lack the right in one of its groups, and so everywhere.
    const permission = 'workers.drain';
    if (seen.length < worker.offer.groups.length && !may(caller.rights, permission, null))
      throw AppError.because(
        'permission_denied',
        'role_lacks_in_unseen',
        { permission },
        { members: { permission, group: null } },
      );
    return worker;
  }

  visible({ rights }: ConsoleCaller): WorkerView[] {
    return this.workers.all().filter(({ offer }) => offer.groups.some((group) => may(rights, 'workers.view', group)));
  }

  /** Score of each worker that takes orders, among those of its first group. */
  loads(): Map<string, number> {
    return loadsOfAll(this.workers);
  }

  private loadsOf(group: string): ScoredWorker[] {
    return this.workers.loadsOf(group).map(({ workerId, terms }) => ({ id: workerId, terms }));
  }

  /** Throws AppError `not_found` for one the caller sees no group of. */
  found(caller: ConsoleCaller, id: string): WorkerView {
    const worker = this.visible(caller).find(({ workerId }) => workerId === id);
    if (!worker) throw notFound('worker');
    return worker;
  }

  private detail(worker: WorkerView, caller: ConsoleCaller): WorkerDetail {
    const { rights } = caller;
    const { offer, lastRefused } = worker;
    return {
      ...summaryOf(worker, this.loads(), caller),
      urls: [...offer.urls],
      drain: worker.drain && {
        reason: worker.drain.reason,
        by: worker.drain.by,
        at: iso(worker.drain.at),
        deadlineAt: isoOrNull(worker.drain.deadlineAt),
      },
      cordon: worker.cordon && { reason: worker.cordon.reason, by: worker.cordon.by, at: iso(worker.cordon.at) },
      lastRefusedBeat: lastRefused && {
        at: iso(lastRefused.at),
        errors: lastRefused.errors.map(({ pointer, code, message }) => ({ pointer, code, message })),
      },
      permissions: PERMISSIONS.filter((permission) => offer.groups.every((group) => may(rights, permission, group))),
    };
  }
}

const groupsSeen = ({ offer }: Pick<WorkerView, 'offer'>, { rights }: ConsoleCaller): string[] =>
  offer.groups.filter((group) => may(rights, 'workers.view', group));

const slotsOf = (slots: number | Record<string, number>): number =>
  typeof slots === 'number' ? slots : Object.values(slots).reduce((sum, count) => sum + count, 0);

export function summaryOf(worker: WorkerView, loads: ReadonlyMap<string, number>, caller: ConsoleCaller): WorkerSummary {
  const { offer, figures } = worker;
  const groups = groupsSeen(worker, caller);
  const hiddenGroups = offer.groups.length - groups.length;
  return {
    id: worker.workerId,
    incarnation: worker.incarnation,
    state: shownStateOf(worker),
    drainAsked: worker.drainAsked,
    cordoned: worker.cordon !== null,
    suspendedFor: worker.suspended?.reason ?? null,
    groups,
    hiddenGroups,
    handlers: offer.handlers.map(({ name }) => name),
    slots: hiddenGroups > 0 ? slotsOf(offer.slots) : offer.slots,
    zone: offer.zone ?? null,
    tags: offer.tags ?? [],
    sdk: offer.sdk,
    active: figures.active,
    queued: figures.queued,
    freeSlots: worker.takesOrders ? figures.freeSlots : 0,
    inFlight: worker.inFlight,
    avgCostMs: figures.avgCostMs,
    cpuIdlePercent: figures.cpuIdlePercent,
    memoryBytes: figures.memory ?? null,
    clockSkewMs: figures.skewMs ?? null,
    registeredAt: iso(worker.registeredAt),
    lastBeatAt: iso(worker.lastBeatAt),
    load: loads.get(worker.workerId) ?? null,
  };
}
