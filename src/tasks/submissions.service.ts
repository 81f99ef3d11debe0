import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { KEY_PATIENCE_MS, KeyWatch } from './key-watch.js';
import { fittingOneStatement, type NewTaskRow, NewTaskStore } from './new-task.store.js';
import { RequestKeys, requestKeyOf } from './request-keys.js';
import { storedShards } from './stored-shards.js';
import type { NewTask, SubmitOutcome, TaskReceiptRecord } from './task.js';
import { TaskNews } from './task-news.js';
import { receiptOf } from './task-row.js';

interface Waiting {
  task: NewTask;
  /** Monotonic: how long it waits for another transaction that writes its clientRequestId. */
  until: number;
  resolve: (outcome: SubmitOutcome) => void;
  reject: (error: unknown) => void;
}

/** A task that already bears a clientRequestId. */
interface KnownTask {
  task: TaskReceiptRecord;
  fingerprint: string | null;
}

const DUE_SOON_MS = 10_000;
const DUPLICATE_RETRIES = 3;
const CONTENTION_ROUNDS = 3;

/**
 * Inserts submitted tasks, many callers' at a time: while one transaction commits, whatever arrives waits and shares the next one.
 *
 * A caller is answered only after the commit of its own tasks. If the process dies before it, nothing is stored and the caller
 * saw no answer; after it, the tasks are found by polling although nobody was told. A retry with the same clientRequestId meets
 * the unique key (app, clientRequestId), which alone decides that there is one task. A task whose id another transaction is writing is
 * set aside until that has ended, so that nobody waits with it. If a shared transaction fails for any reason but an absent database,
 * each task is tried alone, so a bad neighbour fails by itself.
 */
@Injectable()
export class SubmissionsService {
  private readonly queue: Waiting[] = [];
  private writing = 0;
  private readonly writers: number;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly keys: RequestKeys,
    private readonly keyWatch: KeyWatch,
    private readonly newTasks: NewTaskStore,
    private readonly clock: Clock,
    private readonly news: TaskNews,
  ) {
    this.writers = dialect.name === 'mysql' ? 2 : 1;
  }

  submit(tasks: readonly NewTask[], keyPatienceMs = KEY_PATIENCE_MS): Promise<SubmitOutcome[]> {
    const until = this.clock.monotonic() + keyPatienceMs;
    const outcomes = tasks.map(
      (task) =>
        new Promise<SubmitOutcome>((resolve, reject) => {
          const waiting = { task, until, resolve, reject };
          if (this.keyWatch.isWatched(requestKeyOf(task) ?? '')) void this.setAside(waiting);
          else this.queue.push(waiting);
        }),
    );
    this.pump();
    return Promise.all(outcomes);
  }

  private pump(): void {
    while (this.writing < this.writers && this.queue.length > 0) {
      this.writing += 1;
      // The rest of this turn of the loop may still bring company.
      setImmediate(async () => {
        const batch = this.take();
        if (batch.length > 0) await this.write(batch);
        this.writing -= 1;
        this.pump();
      });
    }
  }

  private take(): Waiting[] {
    return this.queue.splice(0, fittingOneStatement(waitingTasks(this.queue)));
  }

  /** New tasks need one statement, which is durable by itself. Only if that meets a duplicate (or contention) are the keys looked up. */
  private async write(batch: Waiting[]): Promise<void> {
    const fresh = this.prepare(tasksOf(batch), new Map());
    try {
      await this.newTasks.insert(this.dialect.impatient(this.dialect.root), fresh.inserted);
    } catch (error) {
      if (this.dialect.isUnavailable(error)) this.refuse(batch, error);
      else await this.writeUnknown(batch);
      return;
    }
    this.announce(fresh.inserted);
    settle(batch, fresh.outcomes);
  }

  /** Stores those nobody has stored yet. What others are writing is set aside first; in the last round whatever is locked is waited for. */
  private async writeUnknown(batch: Waiting[], round = 1): Promise<void> {
    let free = batch;
    try {
      free = await this.withoutContended(batch);
      if (free.length > 0) settle(free, await this.insertUnknown(tasksOf(free), round === CONTENTION_ROUNDS));
    } catch (error) {
      if (this.dialect.isUnavailable(error)) this.refuse(free, error);
      else if (this.dialect.isContention(error) && round < CONTENTION_ROUNDS) await this.writeUnknown(free, round + 1);
      else if (free.length > 1) for (const waiting of free) await this.writeUnknown([waiting]);
      else this.refuse(free, error);
    }
  }

  private async withoutContended(batch: Waiting[]): Promise<Waiting[]> {
    const contended = await this.keys.beingWritten(tasksOf(batch));
    if (contended.size === 0) return batch;
    const isContended = ({ task }: Waiting) => contended.has(requestKeyOf(task) ?? '');
    for (const waiting of batch.filter(isContended)) void this.setAside(waiting);
    return batch.filter((waiting) => !isContended(waiting));
  }

  private async setAside(waiting: Waiting): Promise<void> {
    try {
      if (await this.keyWatch.untilFree(waiting.task, waiting.until)) {
        this.queue.push(waiting);
        this.pump();
      } else waiting.resolve({ outcome: 'in_progress' });
    } catch (error) {
      waiting.reject(error);
    }
  }

  private refuse(batch: readonly Waiting[], error: unknown): void {
    const raced = this.dialect.isUniqueViolation(error) || this.dialect.isContention(error);
    for (const { task, resolve, reject } of batch) {
      if (task.clientRequestId !== null && raced) resolve({ outcome: 'in_progress' });
      else reject(error);
    }
  }

  /** In a transaction that looks first: a duplicate is another commit, and what it wrote is visible to a new transaction. */
  private async insertUnknown(tasks: NewTask[], patiently: boolean): Promise<SubmitOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { outcomes, inserted } = await this.dialect.transaction(async (tx) => {
          const prepared = this.prepare(tasks, await this.known(tx, tasks));
          await this.newTasks.insert(patiently ? tx : this.dialect.impatient(tx), prepared.inserted);
          return prepared;
        });
        this.announce(inserted);
        return outcomes;
      } catch (error) {
        if (attempt >= DUPLICATE_RETRIES || !this.dialect.isUniqueViolation(error)) throw error;
      }
    }
  }

  /** Which of the tasks are new, and what each caller is told; a key that occurs twice is new once. */
  private prepare(tasks: NewTask[], known: Map<string, KnownTask>): { outcomes: SubmitOutcome[]; inserted: NewTaskRow[] } {
    const inserted: NewTaskRow[] = [];
    const now = Math.round(this.clock.now());
    const outcomes = tasks.map((task): SubmitOutcome => {
      const key = requestKeyOf(task);
      const earlier = key === null ? undefined : known.get(key);
      if (earlier) {
        return earlier.fingerprint === task.fingerprint
          ? { outcome: 'replayed', task: earlier.task }
          : { outcome: 'reused', existingTaskId: earlier.task.id };
      }
      const scheduledAt = Math.max(now, task.runAt ?? now + task.delayMs);
      const row = rowOf(task, now, scheduledAt);
      inserted.push(row);
      const receipt = receiptOf({
        id: row.id,
        client_request_id: row.clientRequestId,
        handler: row.handler,
        group_id: row.groupId,
        scheduled_at: scheduledAt,
        created_at: now,
        first_state: null,
      });
      if (key !== null) known.set(key, { task: receipt, fingerprint: task.fingerprint });
      return { outcome: 'accepted', task: receipt };
    });
    // Sorted by key, so that two nodes inserting the same keys wait for each other in one order.
    inserted.sort((a, b) => compare(requestKeyOf(a) ?? a.id, requestKeyOf(b) ?? b.id));
    return { outcomes, inserted };
  }

  private async known(tx: Sql, tasks: readonly NewTask[]): Promise<Map<string, KnownTask>> {
    const known = new Map<string, KnownTask>();
    for (const [key, row] of await this.keys.known(tx, tasks))
      known.set(key, { task: receiptOf(row), fingerprint: row.request_fp });
    return known;
  }

  private announce(inserted: NewTaskRow[]): void {
    const now = this.clock.now();
    const groups = new Set<number>();
    const due = [];
    const parents = [];
    for (const row of inserted) {
      if (row.scheduledAt <= row.createdAt) {
        if (row.shards == null) groups.add(row.groupId);
        else parents.push(row);
      } else if (row.scheduledAt < now + DUE_SOON_MS) due.push({ id: row.id, partition: row.partition, dueAt: row.scheduledAt });
    }
    if (groups.size > 0) this.news.work(groups);
    this.news.dueSoon(due);
    this.news.parents(parents);
  }
}

function rowOf(
  { group, runAt: _, delayMs: __, dependsOn: ___, shards, ...task }: NewTask,
  now: number,
  scheduledAt: number,
): NewTaskRow {
  const state = scheduledAt > now ? 'SCHEDULED' : 'PENDING';
  const { id: groupId, partition } = group;
  const times = { createdAt: now, scheduledAt, dueAt: scheduledAt };
  return { ...task, id: newId('task'), groupId, partition, ...times, state, shards: storedShards(shards) };
}

const tasksOf = (batch: readonly Waiting[]): NewTask[] => batch.map(({ task }) => task);

function* waitingTasks(queue: readonly Waiting[]): Generator<NewTask> {
  for (const { task } of queue) yield task;
}

function settle(batch: readonly Waiting[], outcomes: readonly SubmitOutcome[]): void {
  for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] as SubmitOutcome);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
