import { Injectable } from '@nestjs/common';
import { groupedBy } from '../decisions/grouped.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { waitVerdict } from '../decisions/upstream-wait.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { FlowStore } from './flow.store.js';
import { type NewTaskRow, NewTaskStore } from './new-task.store.js';
import { storedShards } from './stored-shards.js';
import type { NewTask, SubmitOutcome, TaskRecord } from './task.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { receiptOf } from './task-row.js';
import { failureActor, failureEvidence } from './upstream-failure.js';

type Outcome = { outcome: SubmitOutcome; row?: NewTaskRow };

const BATCH = 100;
const TRIES = 3;
const DUE_SOON_MS = 10_000;

/**
 * Inserts tasks that depend on others. Their upstreams are locked first and marked as awaited, so an upstream ends either before,
 * and its end is seen here, or after, and its end sees the task that waits. A mark is a new version of the upstream, so a write
 * decided before it is lost and decided again.
 *
 * A caller is answered after the commit. If the process dies before it, nothing is stored; a retry with the same clientRequestId
 * meets the unique key, as for any submit. A batch that fails is tried one by one, so a bad neighbour fails by itself.
 */
@Injectable()
export class DependentSubmissions {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly newTasks: NewTaskStore,
    private readonly flows: FlowStore,
    private readonly clock: Clock,
    private readonly news: TaskNews,
  ) {}

  /** Outcomes in the order of the tasks. */
  async submit(tasks: readonly NewTask[]): Promise<SubmitOutcome[]> {
    const outcomes: SubmitOutcome[] = [];
    for (let i = 0; i < tasks.length; i += BATCH) outcomes.push(...(await this.write(tasks.slice(i, i + BATCH))));
    return outcomes;
  }

  private async write(tasks: readonly NewTask[]): Promise<SubmitOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const made = await this.dialect.transaction((tx) => this.insert(tx, tasks));
        this.announce(made.flatMap(({ row }) => row ?? []));
        return made.map(({ outcome }) => outcome);
      } catch (error) {
        if (this.dialect.isUnavailable(error)) throw error;
        const raced = this.dialect.isUniqueViolation(error);
        if (raced && attempt < TRIES) continue;
        if (tasks.length === 1) {
          const contended = this.dialect.isContention(error) && tasks[0]?.clientRequestId !== null;
          if (raced || contended) return [{ outcome: 'in_progress' }];
          throw error;
        }
        const alone: SubmitOutcome[] = [];
        for (const task of tasks) alone.push(...(await this.write([task])));
        return alone;
      }
    }
  }

  private async insert(tx: Sql, tasks: readonly NewTask[]): Promise<Outcome[]> {
    const known = await this.known(tx, tasks);
    const fresh = tasks.filter((task) => !known.has(keyOf(task)));
    const named = [...new Set(fresh.flatMap(({ dependsOn }) => dependsOn ?? []))];
    const upstreams = new Map((await this.store.lock(tx, named)).map((task) => [task.id, task]));
    const now = Math.round(this.clock.now());
    const made = tasks.map((task): Outcome => {
      const earlier = known.get(keyOf(task));
      if (earlier) return { outcome: replayOf(earlier, task) };
      const places = (task.dependsOn ?? []).flatMap((id, i) => (upstreams.get(id)?.appId === task.appId ? [] : [i]));
      if (places.length > 0) return { outcome: { outcome: 'unknown_upstreams', places } };
      const row = rowOf(
        task,
        (task.dependsOn ?? []).map((id) => upstreams.get(id) as TaskRecord),
        now,
      );
      const stored = storedAs(row);
      if (keyOf(task) !== '') known.set(keyOf(task), stored);
      return { outcome: { outcome: 'accepted', task: receiptOf(stored) }, row };
    });
    const inserted = made.flatMap(({ row }, i) => (row ? [{ row, dependsOn: [...new Set(tasks[i]?.dependsOn ?? [])] }] : []));
    if (inserted.length > 0) await this.keep(tx, inserted, upstreams);
    return made;
  }

  private async keep(
    tx: Sql,
    inserted: readonly { row: NewTaskRow; dependsOn: readonly string[] }[],
    upstreams: ReadonlyMap<string, TaskRecord>,
  ): Promise<void> {
    const named = new Set(inserted.flatMap(({ dependsOn }) => dependsOn));
    const used = [...upstreams.values()].filter(({ id }) => named.has(id));
    await this.flows.markAwaited(
      tx,
      used.filter(({ awaited }) => !awaited).map(({ id }) => id),
    );
    const roots = used.filter(({ flowId }) => flowId === null);
    await this.flows.setFlow(
      tx,
      roots.map(({ id, jobId }) => ({ flowId: id, taskId: id, jobId, joinJobId: null })),
    );
    await this.newTasks.insert(
      tx,
      inserted.map(({ row }) => row),
    );
    await this.flows.addToFlows(
      tx,
      inserted.map(({ row }) => ({ flowId: row.flowId as string, taskId: row.id, jobId: null, joinJobId: null })),
    );
    await this.flows.addEdges(
      tx,
      inserted.flatMap(({ row, dependsOn }) => dependsOn.map((upstreamId) => ({ downstreamId: row.id, upstreamId }))),
    );
    await this.flows.addWaits(
      tx,
      inserted.filter(({ row }) => row.state === 'BLOCKED').map(({ row }) => row),
    );
  }

  private async known(tx: Sql, tasks: readonly NewTask[]): Promise<Map<string, KnownRow>> {
    const byApp = groupedBy(
      tasks.filter(({ clientRequestId, appId }) => clientRequestId !== null && appId !== null),
      ({ appId }) => appId as number,
    );
    const known = new Map<string, KnownRow>();
    for (const [appId, asked] of byApp) {
      const ids = [...new Set(asked.map(({ clientRequestId }) => clientRequestId as string))];
      for (const row of await this.store.withRequestIds(tx, appId, ids)) known.set(`${appId}:${row.client_request_id}`, row);
    }
    return known;
  }

  private announce(rows: readonly NewTaskRow[]): void {
    const soon = this.clock.now() + DUE_SOON_MS;
    const now = rows.filter(({ state }) => state === 'PENDING');
    const groups = new Set(now.map(({ groupId }) => groupId));
    if (groups.size > 0) this.news.work(groups);
    this.news.parents(now.filter(({ shards }) => shards != null));
    this.news.skipped(rows.filter(({ state }) => state === 'SKIPPED').map((row) => ({ ...row, jobId: null })));
    this.news.dueSoon(
      rows
        .filter(({ state, dueAt }) => state === 'SCHEDULED' && dueAt < soon)
        .map(({ id, partition, dueAt }) => ({ id, partition, dueAt })),
    );
  }
}

/** A stored task as far as a replay needs it. */
type KnownRow = Parameters<typeof receiptOf>[0] & { request_fp: string | null };

/** Empty for a task without a clientRequestId. */
const keyOf = ({ appId, clientRequestId }: Pick<NewTask, 'appId' | 'clientRequestId'>): string =>
  appId === null || clientRequestId === null ? '' : `${appId}:${clientRequestId}`;

const replayOf = (earlier: KnownRow, { fingerprint }: NewTask): SubmitOutcome =>
  earlier.request_fp === fingerprint
    ? { outcome: 'replayed', task: receiptOf(earlier) }
    : { outcome: 'reused', existingTaskId: earlier.id };

/** BLOCKED while an upstream has not ended; SKIPPED if one has failed already; else as any task, by its time. */
function rowOf(
  { group, runAt, delayMs, dependsOn: _, shards, ...task }: NewTask,
  upstreams: TaskRecord[],
  now: number,
): NewTaskRow {
  const scheduledAt = Math.max(now, runAt ?? now + delayMs);
  const verdict = waitVerdict(upstreams);
  const flow = upstreams[0];
  const row = {
    ...task,
    id: newId('task'),
    groupId: group.id,
    partition: group.partition,
    createdAt: now,
    scheduledAt,
    dueAt: scheduledAt,
    flowId: flow ? (flow.flowId ?? flow.id) : null,
    shards: storedShards(shards),
  };
  if (verdict.is === 'done') return { ...row, state: scheduledAt > now ? 'SCHEDULED' : 'PENDING' };
  if (verdict.is === 'outstanding') return { ...row, state: 'BLOCKED', firstState: 'BLOCKED' };
  const told = { actor: failureActor(verdict), result: failureEvidence(verdict), reason: 'upstream_failed' as const };
  return { ...row, ...told, state: 'SKIPPED', firstState: 'SKIPPED' };
}

const storedAs = (row: NewTaskRow): KnownRow => ({
  id: row.id,
  client_request_id: row.clientRequestId,
  request_fp: row.fingerprint,
  handler: row.handler,
  group_id: row.groupId,
  scheduled_at: row.scheduledAt,
  created_at: row.createdAt,
  first_state: row.firstState ? STATE_CODE[row.firstState] : null,
});
