import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { type Sql, SqlDialect } from '../ports.js';
import { attemptName } from '../registry/worker.js';
import { WorkersService } from '../registry/workers.service.js';
import { JobSlots, NOTHING_RELEASED } from '../tasks/job-slots.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { TaskNews } from '../tasks/task-news.js';
import { type UnstoppedAttempt, UnstoppedStore } from '../tasks/unstopped.store.js';
import { PartitionsService } from './partitions.service.js';

const NONE: ReadonlySet<string> = new Set();

/**
 * Attempts that did not stop when they were told to: their tasks have ended, but as long as the live worker names them they count
 * against the quota of their group, and the next task of their overlap slot waits. The rows are the authority; what is kept here of
 * the partitions this node holds is read again by every sweep. If the process dies, the next holder reads them.
 */
@Injectable()
export class UnstoppedService {
  private readonly log = new Logger(UnstoppedService.name);
  /** Partitions that were read since this node took them. */
  private readonly known = new Map<number, UnstoppedAttempt[]>();

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: UnstoppedStore,
    private readonly partitions: PartitionsService,
    private readonly workers: WorkersService,
    private readonly slots: JobSlots,
    private readonly lifecycle: LifecycleService,
    private readonly news: TaskNews,
    private readonly clock: Clock,
  ) {
    partitions.onTaken((partition) => this.known.delete(partition));
  }

  /** Their tasks; each takes a place of the group. Asks the database only once after the partition was taken. */
  async tasksOf(tx: Sql, group: { id: number; partition: number }): Promise<ReadonlySet<string>> {
    let attempts = this.known.get(group.partition);
    if (!attempts) {
      attempts = await this.store.ofPartitions(tx, [group.partition]);
      this.known.set(group.partition, attempts);
    }
    return attempts.length === 0
      ? NONE
      : new Set(attempts.flatMap(({ groupId, taskId }) => (groupId === group.id ? [taskId] : [])));
  }

  /** The next count reads the rows: some were just written. */
  changed(partition: number): void {
    this.known.delete(partition);
  }

  /** Frees the places of those that have stopped, or whose worker is gone or has another life. */
  async sweep(): Promise<void> {
    // A person may have given one up on any node: who claims next reads the rows.
    for (const [partition, kept] of this.known) if (kept.length > 0) this.known.delete(partition);
    const held = this.partitions.held();
    const attempts = await this.store.ofPartitions(this.dialect.root, held);
    const stopped = new Map<number, UnstoppedAttempt[]>();
    for (const attempt of attempts)
      if (this.hasStopped(attempt)) stopped.set(attempt.partition, [...(stopped.get(attempt.partition) ?? []), attempt]);
    for (const [partition, freed] of stopped) await this.free(partition, freed);
  }

  private hasStopped(attempt: UnstoppedAttempt): boolean {
    if (this.workers.standing(attempt.workerId, attempt.incarnation) !== 'current') return true;
    const beats = this.workers.lastBeats(attempt.workerId);
    return beats.length >= 2 && beats.every(({ attempts }) => !attempts.has(attemptName(attempt)));
  }

  private async free(partition: number, attempts: readonly UnstoppedAttempt[]): Promise<void> {
    const ids = attempts.map(({ taskId }) => taskId);
    const { changes, planned } = await this.partitions.within(partition, async (tx) => {
      const jobIds = await this.store.release(tx, ids);
      return jobIds.length === 0
        ? NOTHING_RELEASED
        : this.slots.review(tx, jobIds, this.clock.now(), `node:${this.partitions.node}`);
    });
    this.known.delete(partition);
    this.log.log('attempts that did not stop have stopped', { tasks: ids });
    this.lifecycle.announce(changes, planned);
    this.news.work(attempts.map(({ groupId }) => groupId));
  }
}
