import type { Backends } from '../../src/backends/backends.js';
import { CallbackOutbox } from '../../src/callbacks/callback-outbox.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { EndpointDirectory } from '../../src/callbacks/endpoint-directory.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { laneOf } from '../../src/decisions/partitioning.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { JobStore } from '../../src/jobs/job.store.js';
import { JobNews } from '../../src/jobs/job-news.js';
import { AttemptStore } from '../../src/tasks/attempt.store.js';
import { ClaimStore } from '../../src/tasks/claim.store.js';
import { Consequences } from '../../src/tasks/consequences.js';
import { JobSlots } from '../../src/tasks/job-slots.js';
import { JobTaskStore } from '../../src/tasks/job-task.store.js';
import { LifecycleService } from '../../src/tasks/lifecycle.service.js';
import { NewTaskStore } from '../../src/tasks/new-task.store.js';
import { SubmissionsService } from '../../src/tasks/submissions.service.js';
import type { NewTask, TaskRecord } from '../../src/tasks/task.js';
import { TaskStore } from '../../src/tasks/task.store.js';
import { TaskNews } from '../../src/tasks/task-news.js';
import { TasksService } from '../../src/tasks/tasks.service.js';

export const APP = 1;

/** The task services of one node on a real database, without its loops: a test takes each step itself. */
export class TaskWorld {
  readonly store: TaskStore;
  readonly claims: ClaimStore;
  readonly news: TaskNews;
  readonly submissions: SubmissionsService;
  readonly lifecycle: LifecycleService;
  readonly tasks: TasksService;
  readonly jobs: JobStore;
  readonly jobTasks: JobTaskStore;
  readonly slots: JobSlots;
  readonly outbox: CallbackOutbox;
  readonly directory: EndpointDirectory;
  private group: Group | undefined;
  private made = 0;

  constructor(readonly backends: Backends) {
    const { dialect, clock, signals } = backends;
    this.store = new TaskStore(dialect);
    this.news = new TaskNews(signals);
    this.claims = new ClaimStore(dialect);
    const newTasks = new NewTaskStore();
    const attempts = new AttemptStore();
    this.submissions = new SubmissionsService(dialect, this.store, newTasks, clock, this.news);
    this.jobs = new JobStore(dialect);
    this.directory = new EndpointDirectory(dialect, new EndpointStore(dialect), signals);
    this.outbox = new CallbackOutbox(this.directory, new OutboxStore());
    this.jobTasks = new JobTaskStore(newTasks, this.outbox);
    this.slots = new JobSlots(this.jobs, this.jobTasks, this.store);
    this.lifecycle = new LifecycleService(
      dialect,
      this.store,
      attempts,
      clock,
      this.news,
      new Consequences(this.slots, this.outbox),
      new JobNews(signals),
    );
    this.tasks = new TasksService(dialect, this.store, attempts, this.submissions, clock, this.news, this.lifecycle);
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
    const { rows } = await this.claims.pick(this.backends.dialect.root, (this.group as Group).id, handlers.map(laneOf), limit);
    return rows.map(({ id }) => id);
  }

  get now(): number {
    return Math.round(this.backends.clock.now());
  }
}
