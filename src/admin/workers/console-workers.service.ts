import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AuditService } from '../../auth/audit.service.js';
import { type ConsoleCaller, type ConsoleRequest, demand } from '../../auth/console-caller.js';
import { may, PERMISSIONS } from '../../decisions/permissions.js';
import type { WorkerView } from '../../registry/worker.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { WorkerDetail, WorkerList, WorkerLoad, WorkerStateName, WorkerSummary } from '../contract/workers.js';
import { bodyOf, iso, notFound, queryOf, REASON_ONLY, shortText, words } from '../request-parts.js';
import { authorOf } from '../trail.js';
import { explainLoad, scored } from './worker-loads.js';

const STATES: readonly WorkerStateName[] = ['online', 'suspect', 'draining', 'drained', 'offline', 'suspended'];
const QUERY = { group: shortText(64), state: words(STATES), handler: shortText(255) };

/** Workers as this node knows them, at most about a second behind. Seen by whoever may see one of their groups. */
@Injectable()
export class ConsoleWorkersService {
  constructor(
    private readonly workers: WorkersService,
    private readonly audit: AuditService,
  ) {}

  async list(request: ConsoleRequest): Promise<WorkerList> {
    const { group, state, handler } = queryOf(request, QUERY);
    const loads = this.loads();
    const items = this.visible(request.caller)
      .filter(({ offer }) => group === undefined || offer.groups.includes(group))
      .filter(({ offer }) => handler === undefined || offer.handlers.some(({ name }) => name === handler))
      .map((worker) => summaryOf(worker, loads))
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
    const seen = offer.groups.filter((key) => may(caller.rights, 'workers.view', key));
    const chosen = group ?? (seen[0] as string);
    if (!seen.includes(chosen)) throw notFound('group of this worker');
    return explainLoad(chosen, id, this.workers.candidatesOfGroup(chosen));
  }

  /** Concerns all its groups, so it needs the right in each of them. */
  async setDrain(request: ConsoleRequest, reply: FastifyReply, id: string, asked: boolean): Promise<WorkerDetail> {
    const { reason } = bodyOf<{ reason?: string }>(request, REASON_ONLY);
    const { caller } = request;
    const worker = this.found(caller, id);
    for (const group of worker.offer.groups) demand(caller, 'workers.drain', group);
    const before = { drainAsked: worker.drainAsked };
    if (!(await (asked ? this.workers.drain(id) : this.workers.undrain(id)))) throw notFound('worker');
    const { tell, ...author } = authorOf(caller, reply, reason);
    const object = { type: 'worker', id };
    const group = worker.offer.groups.length === 1 ? worker.offer.groups[0] : null;
    const action = asked ? 'worker.drain_asked' : 'worker.drain_undone';
    tell(await this.audit.note({ ...author, action, object, group, before, after: { drainAsked: asked } }));
    return this.get(request, id);
  }

  visible({ rights }: ConsoleCaller): WorkerView[] {
    return this.workers.all().filter(({ offer }) => offer.groups.some((group) => may(rights, 'workers.view', group)));
  }

  /** Score of each worker that takes orders, among those of its first group. */
  loads(): Map<string, number> {
    const loads = new Map<string, number>();
    for (const group of new Set(this.workers.all().map(({ offer }) => offer.groups[0] as string)))
      for (const { id, terms } of scored(this.workers.candidatesOfGroup(group))) if (!loads.has(id)) loads.set(id, terms.load);
    return loads;
  }

  private found(caller: ConsoleCaller, id: string): WorkerView {
    const worker = this.visible(caller).find(({ workerId }) => workerId === id);
    if (!worker) throw notFound('worker');
    return worker;
  }

  private detail(worker: WorkerView, { rights }: ConsoleCaller): WorkerDetail {
    const { offer, lastRefused } = worker;
    return {
      ...summaryOf(worker, this.loads()),
      urls: [...offer.urls],
      lastRefusedBeat: lastRefused && {
        at: iso(lastRefused.at),
        errors: lastRefused.errors.map(({ pointer, message }) => ({ pointer, message })),
      },
      permissions: PERMISSIONS.filter((permission) => offer.groups.every((group) => may(rights, permission, group))),
    };
  }
}

export function stateOf({ state, draining, suspended, figures, inFlight }: WorkerView): WorkerStateName {
  if (state !== 'online') return state;
  if (suspended) return 'suspended';
  if (!draining) return 'online';
  return figures.active + figures.queued + inFlight === 0 ? 'drained' : 'draining';
}

export function summaryOf(worker: WorkerView, loads: ReadonlyMap<string, number>): WorkerSummary {
  const { offer, figures } = worker;
  return {
    id: worker.workerId,
    incarnation: worker.incarnation,
    state: stateOf(worker),
    drainAsked: worker.drainAsked,
    suspendedFor: worker.suspended?.reason ?? null,
    groups: [...offer.groups],
    handlers: offer.handlers.map(({ name }) => name),
    slots: offer.slots,
    zone: offer.zone ?? null,
    tags: offer.tags ?? [],
    sdk: offer.sdk,
    active: figures.active,
    queued: figures.queued,
    freeSlots: figures.freeSlots,
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
