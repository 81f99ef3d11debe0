import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { may } from '../../decisions/permissions.js';
import { stateOf } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { GroupBalance, LostAttempts, WorkerHistory, WorkerWork, WorkerWorkList } from '../contract/workers.js';
import { ConsoleGroupsService } from '../groups/console-groups.service.js';
import { iso } from '../request-parts.js';
import { type WorkerFigures, WorkerRollupStore } from '../rollups/worker-rollup.store.js';
import { WORKER_SPAN_MS } from '../rollups/worker-rollup-writer.js';
import { ConsoleWorkersService } from './console-workers.service.js';
import { balanceOf } from './worker-loads.js';
import { WorkerWorkStore } from './worker-work.store.js';

const DAY = 86_400_000;
const MOST_LOST = 100;

/** What loads a worker, how it was loaded, what was taken from it, and whether a group's workers are even. */
@Injectable()
export class WorkerInsightService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly work: WorkerWorkStore,
    private readonly rollups: WorkerRollupStore,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly consoleWorkers: ConsoleWorkersService,
    private readonly consoleGroups: ConsoleGroupsService,
    private readonly clock: Clock,
  ) {}

  async workOf({ caller }: ConsoleRequest, id: string): Promise<WorkerWorkList> {
    const { offer } = this.consoleWorkers.found(caller, id);
    return {
      items: await this.contributors(
        id,
        offer.groups.filter((key) => may(caller.rights, 'tasks.view', key)),
      ),
    };
  }

  async history({ caller }: ConsoleRequest, id: string): Promise<WorkerHistory> {
    this.consoleWorkers.found(caller, id);
    const to = this.clock.now();
    const from = Math.floor((to - DAY) / WORKER_SPAN_MS) * WORKER_SPAN_MS;
    const spans = new Map<number, WorkerFigures>();
    for (const { beginsAt, figures } of await this.rollups.read(this.dialect.root, id, from, to)) {
      const known = spans.get(beginsAt);
      spans.set(beginsAt, known ? sumOf(known, figures) : figures);
    }
    return {
      from: iso(from),
      to: iso(to),
      spanMs: WORKER_SPAN_MS,
      spans: [...spans].map(([at, { loads, loadSum, loadMost, activeMost }]) => ({
        at: iso(at),
        load: loads === 0 ? null : loadSum / loads,
        loadMost: loads === 0 ? null : loadMost,
        active: activeMost,
      })),
    };
  }

  /** Of a worker whose groups the caller sees; tasks of other groups are left out. */
  async lost({ caller }: ConsoleRequest, id: string): Promise<LostAttempts> {
    this.consoleWorkers.found(caller, id);
    const rows = await this.rollups.lost(this.dialect.root, id, MOST_LOST);
    const seesAll = may(caller.rights, 'tasks.view', null);
    return {
      items: rows.flatMap(({ taskId, lostAt, state, workerId, groupId, handler }) => {
        const group = groupId === null ? null : (this.groups.byId(groupId)?.key ?? null);
        if (!seesAll && (group === null || !may(caller.rights, 'tasks.view', group))) return [];
        return [{ taskId, handler, group, lostAt: iso(lostAt), state: state === null ? null : stateOf(state), worker: workerId }];
      }),
    };
  }

  async balance({ caller }: ConsoleRequest, key: string): Promise<GroupBalance> {
    const group = this.consoleGroups.found(caller, key, 'workers.view');
    const all = this.workers.loadsOf(group.key).map(({ workerId, terms }) => ({ id: workerId, terms }));
    const balance = balanceOf(group.key, all);
    const { worker, percentFromMean } = balance.verdict;
    const stands = worker !== null && (percentFromMean ?? 0) > 0 && may(caller.rights, 'tasks.view', key);
    return { ...balance, work: stands ? ((await this.contributors(worker, [key]))[0] ?? null) : null };
  }

  private async contributors(workerId: string, groups: readonly string[]): Promise<WorkerWork[]> {
    const ids = groups.flatMap((key) => this.groups.byKey(key)?.id ?? []);
    const rows = await this.work.of(this.dialect.root, workerId, ids);
    return rows.map(({ groupId, jobId, jobKey, handler, count }) => ({
      group: this.groups.byId(groupId)?.key ?? '',
      job: jobId === null ? null : { id: jobId, key: jobKey ?? jobId },
      handler,
      count,
    }));
  }
}

const sumOf = (a: WorkerFigures, b: WorkerFigures): WorkerFigures => ({
  samples: a.samples + b.samples,
  loads: a.loads + b.loads,
  loadSum: a.loadSum + b.loadSum,
  loadMost: Math.max(a.loadMost, b.loadMost),
  activeMost: Math.max(a.activeMost, b.activeMost),
});
