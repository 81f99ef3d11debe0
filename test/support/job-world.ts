import { AuditService } from '../../src/auth/audit.service.js';
import { AuditStore } from '../../src/auth/audit.store.js';
import type { JobDefinition } from '../../src/decisions/job-definition.js';
import { FiresService } from '../../src/dispatch/fires.service.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { DeletedJobStore } from '../../src/jobs/deleted-job.store.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import type { Job } from '../../src/jobs/job.js';
import { JobNews } from '../../src/jobs/job-news.js';
import { JobUpstreams } from '../../src/jobs/job-upstreams.js';
import { JobsService } from '../../src/jobs/jobs.service.js';
import { OpenGroups } from '../../src/jobs/open-groups.js';
import type { Sql } from '../../src/ports.js';
import { EventStore } from '../../src/tasks/event.store.js';
import { EventsService } from '../../src/tasks/events.service.js';
import { PeriodFires } from '../../src/tasks/period-fires.js';
import { Replacements } from '../../src/tasks/replacements.js';
import { RunsService } from '../../src/tasks/runs.service.js';
import type { TaskRecord } from '../../src/tasks/task.js';
import { HandMovedClock } from './hand-moved-clock.js';
import { accepted } from './schedules.js';
import type { FreshDatabase } from './services.js';
import { APP, TaskWorld } from './task-world.js';

const REST = { timeZone: 'UTC', maxParallel: 1, metadata: null, callbackUrl: null, owner: null, tags: [], description: null };

/** What a test states of a job; the schedule as a request writes it. */
export type StatedJob = Partial<Omit<JobDefinition, 'schedule'>> & { schedule: object };

/** The job services of one node on a real database with time moved by hand. A test fires and settles step by step. */
export class JobWorld {
  readonly clock = new HandMovedClock();
  readonly world: TaskWorld;
  readonly news: JobNews;
  readonly service: JobsService;
  readonly fires: FiresService;
  readonly runs: RunsService;
  readonly replacements: Replacements;
  readonly events: EventsService;
  group: Group | undefined;
  private made = 0;

  private constructor(readonly backends: Awaited<ReturnType<FreshDatabase['open']>>) {
    const { dialect, signals } = backends;
    this.world = new TaskWorld({ ...backends, clock: this.clock as never });
    const { jobs, jobTasks, store, tasks, news } = this.world;
    this.news = new JobNews(signals);
    this.service = new JobsService(
      dialect,
      jobs,
      this.clock,
      this.news,
      new JobUpstreams(this.world.edges),
      new OpenGroups(new GroupStore(dialect)),
      new DeletedJobStore(),
    );
    this.fires = this.anotherPlanner();
    this.replacements = new Replacements(dialect, jobTasks, tasks);
    this.runs = new RunsService(dialect, jobs, jobTasks, store, this.replacements, this.clock, news);
    this.events = new EventsService(dialect, new EventStore(), jobs, jobTasks, this.replacements, this.clock, news);
  }

  static async create(database: FreshDatabase): Promise<JobWorld> {
    const made = new JobWorld(await database.open());
    await made.world.prepare();
    made.group = (await new GroupStore(made.backends.dialect).all(made.backends.dialect.root)).find(({ key }) => key === 'g');
    return made;
  }

  /** Fires on the same database, believing that it alone may. */
  anotherPlanner(): FiresService {
    const { dialect } = this.backends;
    const unguarded = {
      within: (_: number, work: (tx: Sql, epoch: number) => unknown) => dialect.transaction(async (tx) => work(tx, 1)),
    };
    const { jobs, jobTasks, edges, flowStore, flows, consequences } = this.world;
    const periods = new PeriodFires(flowStore, this.world.periods, flows, consequences);
    const partitions = unguarded as unknown as PartitionsService;
    const audit = new AuditService(dialect, new AuditStore(dialect), this.clock);
    return new FiresService(dialect, partitions, jobs, jobTasks, edges, periods, this.clock, audit, this.world.groups);
  }

  definition({ schedule, ...more }: StatedJob): JobDefinition {
    const policies = { priority: 5, timeoutMs: 60_000 };
    const rules = { overlap: 'allow' as const, misfire: 'fire_once' as const, misfireWindowMs: 600_000 };
    return {
      handler: 'noop',
      params: '{"n":1}',
      policies,
      ...rules,
      ...REST,
      maxParallel: 1_000,
      schedule: accepted(schedule),
      ...more,
    };
  }

  async job(stated: StatedJob): Promise<Job> {
    this.made += 1;
    const { id, partition } = this.group as Group;
    const names = { key: `job-${this.made}`, groupId: id, partition, appId: APP, clientRequestId: null, fingerprint: null };
    const outcome = await this.service.create({ ...names, by: 'app:test' }, this.definition(stated));
    if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
    return outcome.job;
  }

  async find(id: string): Promise<Job> {
    return (await this.service.find(APP, id)) as Job;
  }

  fire(...ids: string[]) {
    return this.fires.fire((this.group as Group).partition, ids);
  }

  /** Oldest fire first. */
  async tasksOf(jobId: string): Promise<TaskRecord[]> {
    const tasks = await this.world.tasks.list({ appId: APP, jobId, limit: 200 });
    return tasks.sort((a, b) => (a.fireAt ?? a.createdAt) - (b.fireAt ?? b.createdAt) || (a.id < b.id ? -1 : 1));
  }

  async statesOf(jobId: string): Promise<string[]> {
    return (await this.tasksOf(jobId)).map(({ state, reason }) => (state === 'SKIPPED' ? `SKIPPED ${reason}` : state));
  }

  /** Claims the task and lets its attempt end so. */
  async run(id: string, outcome: 'succeeded' | 'failed' | 'cancelled' = 'succeeded'): Promise<void> {
    const lease = await this.world.claim(id);
    await this.end(id, lease, outcome);
  }

  async end(id: string, lease: number, outcome: 'succeeded' | 'failed' | 'cancelled' = 'succeeded'): Promise<void> {
    const at = this.clock.now();
    const error = outcome === 'failed' ? { name: 'Error', message: 'no', retryable: true } : undefined;
    await this.world.lifecycle.settle('w1', [{ taskId: id, lease, outcome, startedAt: at, endedAt: at, error } as never]);
  }
}
