import type { Backends } from '../../src/backends/backends.js';
import { CallbackOutbox } from '../../src/callbacks/callback-outbox.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { EndpointDirectory } from '../../src/callbacks/endpoint-directory.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { laneOf } from '../../src/decisions/partitioning.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { JobStore } from '../../src/jobs/job.store.js';
import { JobEdgeStore } from '../../src/jobs/job-edge.store.js';
import { JobNews } from '../../src/jobs/job-news.js';
import { OpenGroups } from '../../src/jobs/open-groups.js';
import type { Config } from '../../src/platform/config.js';
import { newId } from '../../src/platform/ids.js';
import type { Sql } from '../../src/ports.js';
import { AttemptStore } from '../../src/tasks/attempt.store.js';
import { ClaimStore } from '../../src/tasks/claim.store.js';
import { Consequences } from '../../src/tasks/consequences.js';
import { DependentSubmissions } from '../../src/tasks/dependent-submissions.js';
import { FlowStore } from '../../src/tasks/flow.store.js';
import { Flows } from '../../src/tasks/flows.js';
import { JobSlots } from '../../src/tasks/job-slots.js';
import { JobTaskStore } from '../../src/tasks/job-task.store.js';
import { Joins } from '../../src/tasks/joins.js';
import { KeyWatch } from '../../src/tasks/key-watch.js';
import { LaneStore } from '../../src/tasks/lane.store.js';
import { LanesService } from '../../src/tasks/lanes.service.js';
import { LifecycleService } from '../../src/tasks/lifecycle.service.js';
import { NewTaskStore } from '../../src/tasks/new-task.store.js';
import { PeriodStore } from '../../src/tasks/period.store.js';
import { ProgressStore } from '../../src/tasks/progress.store.js';
import { Rearming } from '../../src/tasks/rearming.js';
import { RequestKeys } from '../../src/tasks/request-keys.js';
import { RetriesService } from '../../src/tasks/retries.service.js';
import { ShardStore } from '../../src/tasks/shard.store.js';
import { ShardRollup } from '../../src/tasks/shard-rollup.js';
import { ShardSplits } from '../../src/tasks/shard-splits.js';
import { ShardStops } from '../../src/tasks/shard-stops.js';
import { SubmissionsService } from '../../src/tasks/submissions.service.js';
import type { NewTask, TaskRecord } from '../../src/tasks/task.js';
import { TaskStore } from '../../src/tasks/task.store.js';
import { TaskNews } from '../../src/tasks/task-news.js';
import { TasksService } from '../../src/tasks/tasks.service.js';
import { UnstoppedStore } from '../../src/tasks/unstopped.store.js';
import { UpstreamVerdicts } from '../../src/tasks/upstream-verdicts.js';

export const APP = 1;

/** The task services of one node on a real database, without its loops: a test takes each step itself. */
export class TaskWorld {
  readonly store: TaskStore;
  readonly claims: ClaimStore;
  readonly news: TaskNews;
  readonly groups: GroupsService;
  readonly lanes: LanesService;
  readonly progress: ProgressStore;
  readonly unstopped = new UnstoppedStore();
  readonly submissions: SubmissionsService;
  readonly lifecycle: LifecycleService;
  readonly tasks: TasksService;
  readonly jobs: JobStore;
  readonly jobTasks: JobTaskStore;
  readonly slots: JobSlots;
  readonly edges: JobEdgeStore;
  readonly verdicts: UpstreamVerdicts;
  readonly flowStore: FlowStore;
  readonly periods: PeriodStore;
  readonly flows: Flows;
  readonly consequences: Consequences;
  readonly shards = new ShardStore();
  readonly splits: ShardSplits;
  readonly outbox: CallbackOutbox;
  readonly directory: EndpointDirectory;
  private group: Group | undefined;
  private made = 0;

  constructor(readonly backends: Backends) {
    const { dialect, clock, signals } = backends;
    this.store = new TaskStore(dialect);
    this.news = new TaskNews(signals);
    this.claims = new ClaimStore(dialect);
    this.progress = new ProgressStore(dialect);
    this.lanes = new LanesService(dialect, new LaneStore(dialect), clock, signals);
    this.directory = new EndpointDirectory(dialect, new EndpointStore(dialect), signals);
    this.outbox = new CallbackOutbox(this.directory, new OutboxStore(), { openapiPublicPrefix: '' } as Config);
    const newTasks = new NewTaskStore(this.lanes, this.outbox);
    const attempts = new AttemptStore();
    const keys = new RequestKeys(dialect, this.store);
    const keyWatch = new KeyWatch(keys, clock);
    this.submissions = new SubmissionsService(dialect, keys, keyWatch, newTasks, clock, this.news);
    this.jobs = new JobStore(dialect);
    this.groups = new GroupsService(dialect, new GroupStore(dialect), clock, signals);
    this.jobTasks = new JobTaskStore(newTasks, this.groups);
    this.edges = new JobEdgeStore(dialect);
    this.flowStore = new FlowStore(dialect);
    this.periods = new PeriodStore(dialect);
    this.slots = new JobSlots(this.jobs, this.jobTasks, this.store, this.flowStore);
    const { store, news, jobs, jobTasks, edges, flowStore, slots, outbox } = this;
    this.verdicts = new UpstreamVerdicts(flowStore, edges, this.periods);
    const { verdicts } = this;
    this.flows = new Flows(store, flowStore, edges, verdicts, new Joins(jobs, jobTasks, flowStore, store), slots);
    const rollup = new ShardRollup(store, this.shards);
    this.consequences = new Consequences(slots, this.flows, rollup, outbox);
    const { flows, consequences } = this;
    this.lifecycle = new LifecycleService(
      dialect,
      store,
      attempts,
      clock,
      news,
      consequences,
      new JobNews(signals),
      this.progress,
      this.unstopped,
    );
    const { lifecycle } = this;
    const rearming = new Rearming(store, flowStore, edges, jobTasks, verdicts);
    this.splits = new ShardSplits(store, newTasks, attempts, this.shards, rollup, consequences, rearming);
    this.tasks = new TasksService(
      dialect,
      store,
      attempts,
      this.submissions,
      clock,
      news,
      lifecycle,
      new DependentSubmissions(dialect, store, keys, keyWatch, newTasks, flowStore, clock, news),
      new RetriesService(
        dialect,
        store,
        attempts,
        jobs,
        jobTasks,
        flowStore,
        verdicts,
        flows,
        rearming,
        consequences,
        lifecycle,
        clock,
        new OpenGroups(new GroupStore(dialect)),
      ),
      this.shards,
      new ShardStops(dialect, store, this.shards, consequences, lifecycle, clock),
    );
  }

  async prepare(): Promise<this> {
    const groups = new GroupStore(this.backends.dialect);
    await groups.ensure(
      this.backends.dialect.root,
      'g',
      { maxRunning: 1_000, maxPending: 1_000_000 },
      Math.round(this.backends.clock.now()),
    );
    this.group = (await groups.all(this.backends.dialect.root)).find(({ key }) => key === 'g');
    return this;
  }

  newTask(more: Partial<NewTask> = {}): NewTask {
    this.made += 1;
    return {
      appId: APP,
      clientRequestId: null,
      fingerprint: null,
      group: this.group as Group,
      handler: 'noop',
      params: '{}',
      priority: 5,
      timeoutMs: 60_000,
      runAt: null,
      delayMs: 0,
      options: {},
      metadata: null,
      callbackUrl: null,
      actor: 'app:test',
      ...more,
    };
  }

  async submit(more: Partial<NewTask> = {}): Promise<string> {
    const [outcome] = await this.tasks.submit([this.newTask(more)]);
    if (outcome?.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
    return outcome.task.id;
  }

  /** Writes a task inside the caller's transaction, as the submission of another process does. */
  async insertRaw(tx: Sql, more: Partial<NewTask>): Promise<void> {
    const { group, runAt: _, delayMs: __, shards: ___, ...task } = this.newTask(more);
    const at = { createdAt: this.now, scheduledAt: this.now, dueAt: this.now };
    await new NewTaskStore(this.lanes, this.outbox).insert(tx, [
      { ...task, id: newId('task'), groupId: group.id, partition: group.partition, ...at, state: 'PENDING' },
    ]);
  }

  /** Claims the task for a worker as the dispatcher does; returns the lease. */
  async claim(id: string, workerId = 'w1', incarnation = 'I1'): Promise<number> {
    const task = await this.find(id);
    const { version, attempt } = task;
    const step = {
      seq: version + 1,
      from: 'PENDING',
      to: 'DISPATCHED',
      at: 1,
      actor: 'node:n1',
      worker: workerId,
      attempt,
    } as const;
    const won = await this.claims.claim(this.backends.dialect.root, [{ id, version, workerId, incarnation, step }], this.now);
    if (won !== 1) throw new Error(`${id} is not pending`);
    return version + 1;
  }

  async find(id: string): Promise<TaskRecord> {
    return (await this.tasks.find(APP, id)) as TaskRecord;
  }

  async heads(handlers: string[], limit = 100): Promise<string[]> {
    const { rows } = await this.claims.pick(
      this.backends.dialect.root,
      (this.group as Group).id,
      handlers.map((handler) => laneOf(handler)),
      limit,
    );
    return rows.map(({ id }) => id);
  }

  get now(): number {
    return Math.round(this.backends.clock.now());
  }
}
