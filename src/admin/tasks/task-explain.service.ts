import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { explainTask, type TaskFacts } from '../../decisions/explain-task.js';
import { parseTimeline } from '../../decisions/timeline.js';
import { meetsFilter } from '../../decisions/worker-filter.js';
import { ExplainService } from '../../dispatch/explain.service.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import type { WorkerView } from '../../registry/worker.js';
import { WorkersService } from '../../registry/workers.service.js';
import { hasShards, type TaskRecord } from '../../tasks/task.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { UpstreamVerdicts } from '../../tasks/upstream-verdicts.js';
import type { TaskExplanation } from '../contract/tasks.js';
import { iso } from '../request-parts.js';
import { scored } from '../workers/worker-loads.js';
import { TaskFactsStore } from './task-facts.store.js';
import { begunAttempt } from './task-views.js';

const MOST_AHEAD = 10_000;
const MOST_NAMED = 20;

/** Answers why a task is where it is, from what is true at this moment; nothing of it is kept. */
@Injectable()
export class TaskExplainService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskFactsStore,
    private readonly jobs: JobsService,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly clock: Clock,
    private readonly tasks: TasksService,
    private readonly verdicts: UpstreamVerdicts,
    private readonly reasons: ExplainService,
    private readonly settings: SystemSettingsService,
  ) {}

  async explain(task: TaskRecord): Promise<TaskExplanation> {
    const { root } = this.dialect;
    const group = this.groups.byId(task.groupId);
    const job = task.jobId === null ? null : await this.jobs.find('anybody', task.jobId);
    const going = task.jobId === null || isTerminal(task.state) ? 0 : await this.store.going(root, task.jobId, task.id);
    const partition = await this.store.partition(root, task.partition);
    const { funnel, cordoned } = funnelOf(this.workers, group?.key ?? '', task);
    const [waiting] = await this.reasons.waitingReasons([task]);
    const refused = parseTimeline(task.timeline).filter(
      ({ from, to, reason }) => from === 'DISPATCHED' && to === 'PENDING' && reason,
    );
    const now = this.clock.now();
    const { checks, verdict } = explainTask({
      now,
      state: task.state,
      reason: task.reason,
      dueAt: task.dueAt,
      cancelAsked: task.cancelAskedAt !== null,
      stopOverdue: waiting === 'waiting_for_abort',
      attempt: begunAttempt(task.attempt, task.workerId, task.startedAt),
      retries: task.retries,
      crashes: task.crashes,
      workerId: task.workerId,
      error: task.error && `${task.error.name}: ${task.error.message}`.slice(0, 500),
      job:
        task.jobId === null
          ? null
          : {
              key: job?.key ?? null,
              state: job?.state ?? null,
              pauseReason: job?.pauseReason ?? null,
              overlap: job?.overlap ?? null,
              going,
            },
      maintenance: this.settings.maintenance,
      hold: group && this.groups.isHeld(group) ? { reason: group.holdReason, until: group.heldUntil } : null,
      quota: {
        running: await this.store.running(root, task.groupId),
        maxRunning: group?.maxRunning ?? 0,
        ahead: task.state === 'PENDING' ? await this.store.ahead(root, task, MOST_AHEAD) : 0,
      },
      funnel,
      cordoned,
      filter: {
        tags: task.options.workerTags ?? [],
        zone: task.options.workerZone ?? null,
        worker: task.pinnedWorkerId,
      },
      upstreams: await this.upstreams(task, waiting === 'waiting_for_upstream'),
      dispatchRate: group?.maxDispatchRate ?? null,
      shards: hasShards(task) ? ((await this.tasks.shardProgressOf([task])).get(task.id) ?? null) : null,
      refusals: refused.reduce((sum, { count }) => sum + (count ?? 1), 0),
      lastRefusal: refused.at(-1)?.reason ?? null,
      partition: { no: task.partition, ...partition },
    });
    const candidates = scored(this.workers.candidates(group?.key ?? '', task.handler, task.options)).map(({ id, terms }) => ({
      worker: id,
      load: terms.load,
      chosen: id === task.workerId,
    }));
    return { taskId: task.id, state: task.state, at: iso(now), checks, verdict, funnel, candidates };
  }

  private async upstreams(task: TaskRecord, waiting: boolean): Promise<TaskFacts['upstreams']> {
    const all = (await this.verdicts.facts(this.dialect.root, [task])).map(({ upstream }) => upstream);
    if (all.length === 0 && !waiting) return null;
    const outstanding = all.filter((upstream) => upstream === null || !isTerminal(upstream.state));
    const failed = all.filter((upstream) => upstream !== null && isTerminal(upstream.state) && upstream.state !== 'SUCCEEDED');
    const waitingFor = outstanding.flatMap((upstream) => upstream?.id ?? []).slice(0, MOST_NAMED);
    return { waiting, outstanding: outstanding.length, failed: failed.length, waitingFor };
  }
}

/** How many workers are left after each condition a task's worker must fulfil. */
function funnelOf(
  workers: WorkersService,
  group: string,
  { handler, options, pinnedWorkerId }: TaskRecord,
): { funnel: TaskExplanation['funnel']; cordoned: string[] } {
  const online = workers.all().filter(({ state }) => state === 'online');
  const ofGroup = online.filter(({ offer }) => offer.groups.includes(group));
  const able = ofGroup.filter(({ offer }) => offer.handlers.some(({ name }) => name === handler));
  const fitting = able.filter(
    ({ offer, workerId }) => meetsFilter(offer, options) && (pinnedWorkerId === null || workerId === pinnedWorkerId),
  );
  const accepting = fitting.filter(({ takesOrders }: WorkerView) => takesOrders);
  const cordoned = fitting.flatMap(({ cordon, workerId }) => (cordon ? [workerId] : [])).slice(0, MOST_NAMED);
  const free = accepting.filter((worker) => workers.available(worker) > 0);
  const funnel = {
    online: online.length,
    group: ofGroup.length,
    handler: able.length,
    filter: fitting.length,
    accepting: accepting.length,
    free: free.length,
  };
  return { funnel, cordoned };
}
