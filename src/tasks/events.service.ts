import { Injectable } from '@nestjs/common';
import { eventParams } from '../decisions/event-params.js';
import { admission, type Occupation } from '../decisions/overlap.js';
import { dueAt } from '../decisions/schedule/next-fire.js';
import { isWithin } from '../decisions/schedule/window.js';
import { tasksMade } from '../decisions/shards.js';
import type { Job } from '../jobs/job.js';
import { JobStore } from '../jobs/job.store.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { EventStore } from './event.store.js';
import { JobTaskStore, type NewJobTask, skippedAmong } from './job-task.store.js';
import { Replacements } from './replacements.js';
import { objectOf } from './stored-json.js';
import { TaskNews } from './task-news.js';

export interface EventRequest {
  appId: number;
  /** Whose jobs hear it. */
  groupIds: readonly number[];
  clientRequestId: string;
  fingerprint: string;
  name: string;
  /** JSON text. */
  payload: string;
}
export interface FiredEvent {
  id: string;
  /** Of the tasks it fired that are the sender's, skipped ones included; in the order of their jobs' ids. */
  taskIds: string[];
  createdAt: number;
}
export type EventOutcome =
  | { outcome: 'accepted' | 'replayed'; event: FiredEvent }
  | { outcome: 'reused'; existingEventId: string }
  /** Another transaction has written the clientRequestId and has not ended for as long as anybody waits for it. */
  | { outcome: 'in_progress' };

/**
 * An event fires every job that listens to its name, in one transaction with the record of the event: so each job has one task of
 * it, or there is no event. The unique key (app, clientRequestId) decides that there is one event; whoever loses rolls its tasks
 * back and answers what the winner fired. Jobs of other apps in the same groups are fired too; their tasks are theirs, and no
 * sender is told of them. If the process dies after the commit the tasks are found by looking.
 */
@Injectable()
export class EventsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly events: EventStore,
    private readonly jobs: JobStore,
    private readonly jobTasks: JobTaskStore,
    private readonly replacements: Replacements,
    private readonly clock: Clock,
    private readonly news: TaskNews,
  ) {}

  async send(request: EventRequest): Promise<EventOutcome> {
    const earlier = await this.sentBefore(request);
    if (earlier) return earlier;
    try {
      const { event, tasks } = await this.dialect.transaction((tx) => this.fire(tx, request));
      this.announce(tasks);
      const waiting = tasks.filter(({ state }) => state === 'BLOCKED').map(({ job }) => job);
      await this.replacements.cancelReplaced(waiting, `event:${request.name}`);
      return { outcome: 'accepted', event };
    } catch (error) {
      const raced = this.dialect.isUniqueViolation(error) ? await this.sentBefore(request) : null;
      if (raced) return raced;
      if (this.dialect.isContention(error) && (await this.isBeingSent(request))) return { outcome: 'in_progress' };
      throw error;
    }
  }

  /** Otherwise it is a job's row that others hold. */
  private async isBeingSent({ appId, clientRequestId }: EventRequest): Promise<boolean> {
    return (await this.events.find(this.dialect.uncommitted, appId, clientRequestId)) !== null;
  }

  private async fire(tx: Sql, request: EventRequest): Promise<{ event: FiredEvent; tasks: NewJobTask[] }> {
    const { appId, groupIds, name, payload, clientRequestId, fingerprint } = request;
    const now = Math.floor(this.clock.now());
    const id = newId('evt');
    const jobs = await this.jobs.lock(tx, await this.events.listeners(tx, groupIds, name));
    const listening = jobs.filter((job) => listens(job, name, now));
    const occupation = await this.jobTasks.occupation(
      tx,
      listening.map((job) => job.id),
    );
    const tasks = listening.map((job): NewJobTask => {
      const becomes = admission(job.overlap, job.maxParallel, occupation.get(job.id) as Occupation);
      const due = dueAt(now, job.schedule.jitterMs ?? 0, Math.random());
      const state = becomes === 'skip' ? 'SKIPPED' : becomes === 'wait' ? 'BLOCKED' : due > now ? 'SCHEDULED' : 'PENDING';
      const reason = becomes === 'skip' ? ('overlap' as const) : null;
      const made = { id: newId('task'), job, state, reason, fireAt: null, dueAt: due, result: null, now } as const;
      const params = eventParams(job.params, { id, name, payload });
      return { ...made, params, clientRequestId: null, fingerprint: null, actor: `event:${id}` };
    });
    await this.jobTasks.insert(tx, tasks);
    const own = tasks.filter(({ job }) => job.appId === appId);
    const event = { id, taskIds: own.map((task) => task.id), createdAt: now };
    await this.events.insert(tx, { ...event, appId, clientRequestId, fingerprint, name });
    return { event, tasks };
  }

  /** What the same clientRequestId has fired, or null. */
  async sentBefore({ appId, clientRequestId, fingerprint }: EventRequest): Promise<EventOutcome | null> {
    const found = await this.events.find(this.dialect.root, appId, clientRequestId);
    if (!found) return null;
    const { fingerprint: stated, ...event } = found;
    if (stated !== fingerprint) return { outcome: 'reused', existingEventId: event.id };
    // Nodes of earlier versions recorded the tasks of other apps too.
    const taskIds = await this.events.ownTasks(this.dialect.root, appId, event.taskIds);
    return { outcome: 'replayed', event: { ...event, taskIds } };
  }

  /** How many tasks it would make now, shards and all; not counted further than `most` jobs. */
  async countTasks({ groupIds, name }: Pick<EventRequest, 'groupIds' | 'name'>, most: number): Promise<number> {
    const policies = await this.events.policiesOfListeners(this.dialect.root, groupIds, name, most);
    return policies.reduce((sum, text) => sum + tasksMade(objectOf<{ shards?: unknown }>(text)?.shards), 0);
  }

  /** Of its groups those in which it would make a task now. */
  async groupsItReaches({ groupIds, name }: Pick<EventRequest, 'groupIds' | 'name'>): Promise<Set<number>> {
    const { root } = this.dialect;
    const now = Math.floor(this.clock.now());
    const jobs = await this.jobs.withIds(root, await this.events.listeners(root, groupIds, name));
    return new Set(jobs.filter((job) => listens(job, name, now)).map(({ groupId }) => groupId));
  }

  private announce(tasks: readonly NewJobTask[]): void {
    const now = tasks.filter(({ state }) => state === 'PENDING');
    const groups = new Set(now.map(({ job }) => job.groupId));
    if (groups.size > 0) this.news.work(groups);
    const divided = now.filter(({ job }) => job.policies.shards !== undefined);
    this.news.parents(divided.map(({ id, job }) => ({ id, partition: job.partition })));
    this.news.skipped(skippedAmong(tasks));
    const later = tasks.filter(({ state }) => state === 'SCHEDULED');
    this.news.dueSoon(later.map(({ id, job, dueAt: due }) => ({ id, partition: job.partition, dueAt: due })));
  }
}

const listens = (job: Job, name: string, now: number): boolean =>
  job.state === 'active' &&
  job.corrupt === null &&
  job.schedule.kind === 'event' &&
  job.schedule.name === name &&
  isWithin(job.schedule, now);
