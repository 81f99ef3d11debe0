import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../decisions/state-codes.js';
import { waitVerdict } from '../decisions/upstream-wait.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { type Sql, SqlDialect } from '../ports.js';
import { FlowStore } from './flow.store.js';
import { KEY_PATIENCE_MS, KeyWatch } from './key-watch.js';
import { type NewTaskRow, NewTaskStore } from './new-task.store.js';
import { RequestKeys, requestKeyOf } from './request-keys.js';
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
 * meets the unique key, as for any submit. A task whose id another transaction is writing comes after the others. A batch that fails
 * otherwise is tried one by one, so a bad neighbour fails by itself.
 */
@Injectable()
export class DependentSubmissions {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly keys: RequestKeys,
    private readonly keyWatch: KeyWatch,
    private readonly newTasks: NewTaskStore,
    private readonly flows: FlowStore,
    private readonly clock: Clock,
    private readonly news: TaskNews,
  ) {}

  /** Outcomes in the order of the tasks. */
  async submit(tasks: readonly NewTask[], keyPatienceMs = KEY_PATIENCE_MS): Promise<SubmitOutcome[]> {
    const outcomes: SubmitOutcome[] = [];
    const until = this.clock.monotonic() + keyPatienceMs;
    for (let i = 0; i < tasks.length; i += BATCH) outcomes.push(...(await this.write(tasks.slice(i, i + BATCH), until)));
    return outcomes;
  }

  private async write(tasks: readonly NewTask[], until: number): Promise<SubmitOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const made = await this.dialect.transaction((tx) => this.insert(tx, tasks, attempt > 1));
        this.announce(made.flatMap(({ row }) => row ?? []));
        return made.map(({ outcome }) => outcome);
      } catch (error) {
        if (this.dialect.isUnavailable(error)) throw error;
        const raced = this.dialect.isUniqueViolation(error);
        const inTheWay = this.dialect.isContention(error);
        const contended = inTheWay ? await this.keys.beingWritten(tasks) : new Set<string>();
        if (contended.size > 0) return this.writeAround(tasks, contended, until);
        if ((raced || inTheWay) && attempt < TRIES) continue;
        if (tasks.length === 1) {
          if (raced || (inTheWay && tasks[0]?.clientRequestId !== null)) return [{ outcome: 'in_progress' }];
          throw error;
        }
        const alone: SubmitOutcome[] = [];
        for (const task of tasks) alone.push(...(await this.write([task], until)));
        return alone;
      }
    }
  }

  /** Those whose keys others are writing come after the rest, each when its key is free. */
  private async writeAround(tasks: readonly NewTask[], contended: ReadonlySet<string>, until: number): Promise<SubmitOutcome[]> {
    const isContended = (task: NewTask) => contended.has(requestKeyOf(task) ?? '');
    const free = tasks.filter((task) => !isContended(task));
    const ofFree = free.length > 0 ? await this.write(free, until) : [];
    const later = tasks.filter(isContended);
    const becameFree = await Promise.all(later.map((task) => this.keyWatch.untilFree(task, until)));
    const freed = later.filter((_, i) => becameFree[i]);
    const ofFreed = freed.length > 0 ? await this.write(freed, until) : [];
    const ofLater = becameFree.map((isFree) => (isFree ? ofFreed.shift() : { outcome: 'in_progress' }) as SubmitOutcome);
    return tasks.map((task) => (isContended(task) ? ofLater.shift() : ofFree.shift()) as SubmitOutcome);
  }

  private async insert(tx: Sql, tasks: readonly NewTask[], patiently: boolean): Promise<Outcome[]> {
    const known: Map<string, KnownRow> = await this.keys.known(tx, tasks);
    const fresh = tasks.filter((task) => !known.has(keyOf(task)));
    const named = [...new Set(fresh.flatMap(({ dependsOn }) => dependsOn ?? []))];
    const upstreams = new Map((await this.store.lock(tx, named)).map((task) => [task.id, task]));
    const now = Math.round(this.clock.now());
    const made = tasks.map((task): Outcome => {
      const earlier = known.get(keyOf(task));
      if (earlier) return { outcome: replayOf(earlier, task) };
      const places = (task.dependsOn ?? []).flatMap((id, i) => (mayDependOn(task, upstreams.get(id)) ? [] : [i]));
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
    if (inserted.length > 0) await this.keep(patiently ? tx : this.dialect.impatient(tx), inserted, upstreams);
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
const keyOf = (task: Pick<NewTask, 'appId' | 'clientRequestId'>): string => requestKeyOf(task) ?? '';

const replayOf = (earlier: KnownRow, { fingerprint }: NewTask): SubmitOutcome =>
  earlier.request_fp === fingerprint
    ? { outcome: 'replayed', task: receiptOf(earlier) }
    : { outcome: 'reused', existingTaskId: earlier.id };

const mayDependOn = ({ appId, upstreamGroups }: NewTask, upstream: TaskRecord | undefined): boolean =>
  upstream?.appId === appId && (upstreamGroups === undefined || upstreamGroups.includes(upstream.groupId));

/** BLOCKED while an upstream has not ended; SKIPPED if one has failed already; else as any task, by its time. */
function rowOf(
  { group, runAt, delayMs, dependsOn: _, upstreamGroups: __, shards, ...task }: NewTask,
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
