import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { laneOf, pickOrder } from '../decisions/partitioning.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { stepText, type TimelineStep } from '../decisions/timeline.js';
import type { JobDue } from '../jobs/job-news.js';
import { placeholders, type RowColumnType, type Sql, SqlDialect } from '../ports.js';
import type { NewTask, TaskFilter, TaskRecord } from './task.js';
import { ALL_COLUMNS, type AttemptRow, recordOf, SETTLE_COLUMNS, stateCodeOf, type TaskRow, wakeAtOf } from './task-row.js';

const { PENDING, DISPATCHED, RUNNING, SCHEDULED } = STATE_CODE;

export interface NewTaskRow extends NewTask {
  id: string;
  createdAt: number;
  scheduledAt: number;
}

/** What an order and a claim need to know of a pending task. */
export interface ClaimableRow {
  id: string;
  version: number;
  handler: string;
  priority: number;
  attempt: number;
  timeout_ms: number | string;
  scheduled_at: number | string;
  params: string | null;
  options_json: string | null;
}

export interface Claim {
  id: string;
  /** The version it was read at; the claim succeeds only from it. */
  version: number;
  workerId: string;
  incarnation: string;
  /** Appended to the timeline, its seq being version + 1, which also becomes the lease. */
  step: TimelineStep;
}

/** A task as it was read and as it shall be; written only if nobody wrote it since. */
export interface TaskChange {
  before: TaskRecord;
  after: TaskRecord;
  /** The fire of its job that its end made known. */
  planned?: JobDue;
}

/** Every statement about tasks and their attempts. A state is changed only here and only by a conditional update. */
@Injectable()
export class TaskStore {
  constructor(private readonly dialect: SqlDialect) {}

  async insert(tx: Sql, tasks: readonly NewTaskRow[]): Promise<void> {
    const row = `(${placeholders(20)}, 1, 1, 0, 0)`;
    await tx.run(
      `INSERT INTO tasks (id, group_id, partition_no, app_id, client_request_id, request_fp, handler, lane, state, priority, pick_order,
        scheduled_at, due_at, wake_at, params, timeout_ms, timeline, created_at, options_json, metadata_json, version, attempt, retries, crashes)
       VALUES ${tasks.map(() => row).join(', ')}`,
      tasks.flatMap((task) => {
        const state = task.scheduledAt > task.createdAt ? SCHEDULED : PENDING;
        const first = {
          seq: 1,
          from: null,
          to: state === SCHEDULED ? 'SCHEDULED' : 'PENDING',
          at: task.createdAt,
          actor: task.actor,
        } as const;
        return [
          task.id,
          task.group.id,
          task.group.partition,
          task.appId,
          task.clientRequestId,
          task.fingerprint,
          task.handler,
          laneOf(task.handler),
          state,
          task.priority,
          pickOrder(task.priority, task.scheduledAt),
          task.scheduledAt,
          task.scheduledAt,
          state === SCHEDULED ? task.scheduledAt : null,
          task.params,
          task.timeoutMs,
          stepText(first),
          task.createdAt,
          Object.keys(task.options).length > 0 ? JSON.stringify(task.options) : null,
          task.metadata ? JSON.stringify(task.metadata) : null,
        ];
      }),
    );
  }

  /** The tasks that already bear these request ids of one app, with their fingerprints. */
  async withRequestIds(sql: Sql, appId: number, requestIds: readonly string[]): Promise<TaskRow[]> {
    return sql.rows<TaskRow>(
      `SELECT id, client_request_id, request_fp, handler, group_id, scheduled_at, created_at FROM tasks
       WHERE app_id = ? AND client_request_id IN (${placeholders(requestIds.length)})`,
      [appId, ...requestIds],
    );
  }

  /** Attempts that count against the group's quota. */
  async countInFlight(tx: Sql, groupId: number): Promise<number> {
    const [row] = await tx.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM tasks WHERE group_id = ? AND state IN (${DISPATCHED}, ${RUNNING})`,
      [groupId],
    );
    return Number(row?.n ?? 0);
  }

  /**
   * The first pending tasks of the lanes in the order they must start, and how many attempts of the group count against its
   * quota; one statement. Each lane's head is read from the index alone and in its order, so the cost does not grow with the
   * backlog. `running` is unknown (0) where nothing is pending.
   */
  async pick(
    tx: Sql,
    groupId: number,
    lanes: readonly number[],
    limit: number,
  ): Promise<{ running: number; rows: ClaimableRow[] }> {
    const head = `SELECT * FROM (SELECT id, pick_order FROM tasks WHERE group_id = ? AND state = ${PENDING} AND lane = ? ORDER BY pick_order LIMIT ${limit})`;
    const heads = lanes.map((_, i) => `${head} AS lane_${i}`).join(' UNION ALL ');
    const rows = await tx.rows<ClaimableRow & { running: number | string }>(
      `SELECT t.id, t.version, t.handler, t.priority, t.attempt, t.timeout_ms, t.scheduled_at, t.params, t.options_json,
        (SELECT COUNT(*) FROM tasks c WHERE c.group_id = ? AND c.state IN (${DISPATCHED}, ${RUNNING})) AS running
       FROM (${heads} ORDER BY pick_order LIMIT ${limit}) AS h INNER JOIN tasks t ON t.id = h.id ORDER BY h.pick_order`,
      [groupId, ...lanes.flatMap((lane) => [groupId, lane])],
    );
    return { running: Number(rows[0]?.running ?? 0), rows };
  }

  /**
   * PENDING → DISPATCHED; the new version is the lease. Returns how many were won. Tasks that become alike (same worker, version
   * and attempt: nearly all) share one statement, which is the cheapest way to write them.
   */
  async claim(tx: Sql, claims: readonly Claim[], at: number): Promise<number> {
    const alike = new Map<string, Claim[]>();
    for (const claim of claims) {
      const key = `${claim.workerId} ${claim.incarnation} ${claim.version} ${claim.step.attempt}`;
      const group = alike.get(key);
      if (group) group.push(claim);
      else alike.set(key, [claim]);
    }
    let won = 0;
    for (const group of alike.values()) won += await this.claimAlike(tx, group as [Claim, ...Claim[]], at);
    return won;
  }

  private claimAlike(tx: Sql, claims: readonly [Claim, ...Claim[]], at: number): Promise<number> {
    const [{ version, workerId, incarnation, step }] = claims;
    return tx.run(
      `UPDATE tasks SET state = ${DISPATCHED}, version = ?, lease = ?, worker_id = ?, worker_incarnation = ?, claimed_at = ?, started_at = NULL,
        ended_at = NULL, reason = NULL, timeline = ${this.dialect.concat('timeline', '?')}
       WHERE id IN (${placeholders(claims.length)}) AND version = ? AND state = ${PENDING}`,
      [version + 1, version + 1, workerId, incarnation, at, `,${stepText(step)}`, ...claims.map(({ id }) => id), version],
    );
  }

  /** Locks these tasks until the transaction ends, ids ascending so that two batches cannot deadlock. */
  async lock(tx: Sql, ids: readonly string[]): Promise<TaskRecord[]> {
    if (ids.length === 0) return [];
    const rows = await tx.rows<TaskRow>(
      `SELECT ${SETTLE_COLUMNS} FROM tasks WHERE id IN (${placeholders(ids.length)}) ORDER BY id ${this.dialect.forUpdate}`,
      [...ids].sort(),
    );
    return rows.map(recordOf);
  }

  /**
   * Writes each change whose task is still as it was read (id, version, state). Returns how many were won. What starts or ends an
   * attempt for good touches few columns and is most of all writes, so it has a statement of its own.
   */
  async save(tx: Sql, changes: readonly TaskChange[]): Promise<number> {
    const settled = changes.filter(isSettlement);
    const moved = changes.filter((change) => !isSettlement(change));
    return (await this.write(tx, settled, SETTLED_COLUMNS)) + (await this.write(tx, moved, MOVED_COLUMNS));
  }

  private async write(tx: Sql, changes: readonly TaskChange[], columns: readonly SavedColumn[]): Promise<number> {
    if (changes.length === 0) return 0;
    return this.dialect.updateFromRows(tx, {
      table: 'tasks',
      columns: [...WRITE_KEY, ...columns.map(([name, type]) => [`new_${name}`, type] as const)],
      rows: changes.map(({ before, after }) => [
        before.id,
        before.version,
        stateCodeOf(before),
        ...columns.map(([, , value]) => value(after)),
      ]),
      set: Object.fromEntries(columns.map(([name]) => [name, `r.new_${name}`])),
      on: 't.id = r.id AND t.version = r.version AND t.state = r.state',
    });
  }

  async find(sql: Sql, id: string): Promise<TaskRecord | null> {
    const [row] = await sql.rows<TaskRow>(`SELECT ${ALL_COLUMNS} FROM tasks WHERE id = ?`, [id]);
    return row ? recordOf(row) : null;
  }

  async statesOf(
    sql: Sql,
    ids: readonly string[],
  ): Promise<{ id: string; state: number; lease: number | null; cancel_asked_at: number | string | null }[]> {
    return sql.rows(`SELECT id, state, lease, cancel_asked_at FROM tasks WHERE id IN (${placeholders(ids.length)})`, ids);
  }

  /** Newest first. Order by id is order by creation: an id begins with its instant. */
  async list(sql: Sql, filter: TaskFilter, fromId: string | null, toId: string | null): Promise<TaskRecord[]> {
    const where = ['app_id = ?'];
    const params: unknown[] = [filter.appId];
    const and = (condition: string, ...values: unknown[]) => {
      where.push(condition);
      params.push(...values);
    };
    if (filter.before) and('id < ?', filter.before);
    if (fromId) and('id >= ?', fromId);
    if (toId) and('id < ?', toId);
    if (filter.states)
      and(`state IN (${placeholders(filter.states.length)})`, ...filter.states.map((state) => STATE_CODE[state]));
    if (filter.clientRequestId) and('client_request_id = ?', filter.clientRequestId);
    if (filter.handler) and('handler = ?', filter.handler);
    if (filter.groupId) and('group_id = ?', filter.groupId);
    if (filter.jobId) and('job_id = ?', filter.jobId);
    const rows = await sql.rows<TaskRow>(
      `SELECT ${ALL_COLUMNS} FROM tasks WHERE ${where.join(' AND ')} ORDER BY app_id DESC, id DESC LIMIT ${filter.limit}`,
      params,
    );
    return rows.map(recordOf);
  }

  /** What falls due until `until`, earliest first, overdue included. */
  async wakingUntil(
    sql: Sql,
    partitions: readonly number[],
    until: number,
    limit: number,
  ): Promise<{ id: string; partition: number; dueAt: number }[]> {
    const rows = await sql.rows<{ id: string; partition_no: number; wake_at: number | string }>(
      `SELECT id, partition_no, wake_at FROM tasks WHERE wake_at <= ? AND partition_no IN (${placeholders(partitions.length)}) ORDER BY wake_at LIMIT ${limit}`,
      [until, ...partitions],
    );
    return rows.map((row) => ({ id: row.id, partition: row.partition_no, dueAt: Number(row.wake_at) }));
  }

  /** Groups of the partitions that have a pending task: one probe of the index per group. */
  async groupsWithWork(sql: Sql, partitions: readonly number[]): Promise<number[]> {
    const rows = await sql.rows<{ id: number; head: string | null }>(
      `SELECT g.id AS id, (SELECT t.id FROM tasks t WHERE t.group_id = g.id AND t.state = ${PENDING} LIMIT 1) AS head
       FROM task_groups g WHERE g.partition_no IN (${placeholders(partitions.length)})`,
      partitions,
    );
    return rows.filter((row) => row.head !== null).map((row) => row.id);
  }

  /** Every DISPATCHED and RUNNING task of the groups, as far as recovery needs it. */
  async inFlight(sql: Sql, groupIds: readonly number[]): Promise<TaskRecord[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<TaskRow>(
      `SELECT ${SETTLE_COLUMNS} FROM tasks WHERE group_id IN (${placeholders(groupIds.length)}) AND state IN (${DISPATCHED}, ${RUNNING})`,
      groupIds,
    );
    return rows.map(recordOf);
  }

  /** The orders of tasks that are still DISPATCHED. */
  async dispatched(
    sql: Sql,
    ids: readonly string[],
  ): Promise<(ClaimableRow & { lease: number; worker_id: string; worker_incarnation: string })[]> {
    return sql.rows(
      `SELECT id, version, handler, priority, attempt, timeout_ms, scheduled_at, params, options_json, lease, worker_id, worker_incarnation
       FROM tasks WHERE id IN (${placeholders(ids.length)}) AND state = ${DISPATCHED}`,
      ids,
    );
  }

  /** Keeps the attempts that another one follows, as they ended. Writing one again changes nothing. */
  async archive(
    tx: Sql,
    attempts: readonly { task: TaskRecord; outcome: string; startedAt: number | null; endedAt: number; error: unknown }[],
  ): Promise<void> {
    for (const { task, outcome, startedAt, endedAt, error } of attempts) {
      const kept = await tx.run(`UPDATE attempts SET ended_at = ended_at WHERE task_id = ? AND attempt = ?`, [
        task.id,
        task.attempt,
      ]);
      if (kept > 0) continue;
      await tx.run(
        `INSERT INTO attempts (task_id, attempt, lease, worker_id, worker_incarnation, started_at, ended_at, outcome, error_json) VALUES (${placeholders(9)})`,
        [
          task.id,
          task.attempt,
          task.lease,
          task.workerId,
          task.workerIncarnation,
          startedAt,
          endedAt,
          outcome,
          error ? JSON.stringify(error) : null,
        ],
      );
    }
  }

  async attemptsOf(sql: Sql, taskId: string): Promise<AttemptRow[]> {
    return sql.rows<AttemptRow>(
      'SELECT attempt, lease, worker_id, started_at, ended_at, outcome, error_json FROM attempts WHERE task_id = ? ORDER BY attempt',
      [taskId],
    );
  }

  /** Keeps a result that came too late on the attempt it belongs to. False if that attempt has none kept yet. */
  async keepLateResult(tx: Sql, taskId: string, lease: number, late: string): Promise<boolean> {
    return (await tx.run('UPDATE attempts SET late_json = ? WHERE task_id = ? AND lease = ?', [late, taskId, lease])) > 0;
  }
}

type SavedColumn = readonly [name: string, type: RowColumnType, value: (task: TaskRecord) => unknown];

const WRITE_KEY = [
  ['id', 'id'],
  ['version', 'int'],
  ['state', 'int'],
] as const;

/** What changes when an attempt starts to run or ends its task. */
const SETTLED_COLUMNS: readonly SavedColumn[] = [
  ['state', 'int', stateCodeOf],
  ['version', 'int', (task) => task.version],
  ['started_at', 'bigint', (task) => task.startedAt],
  ['ended_at', 'bigint', (task) => task.endedAt],
  ['reason', 'text', (task) => task.reason],
  ['error_json', 'text', (task) => (task.error ? JSON.stringify(task.error) : null)],
  ['result', 'text', (task) => task.result],
  ['timeline', 'text', (task) => task.timeline],
];

/** Everything that can ever change. */
const MOVED_COLUMNS: readonly SavedColumn[] = [
  ['pick_order', 'bigint', (task) => pickOrder(task.priority, task.dueAt)],
  ['due_at', 'bigint', (task) => task.dueAt],
  ['wake_at', 'bigint', wakeAtOf],
  ['attempt', 'int', (task) => task.attempt],
  ['retries', 'int', (task) => task.retries],
  ['crashes', 'int', (task) => task.crashes],
  ['lease', 'int', (task) => task.lease],
  ['worker_id', 'text', (task) => task.workerId],
  ['worker_incarnation', 'text', (task) => task.workerIncarnation],
  ['cancel_asked_at', 'bigint', (task) => task.cancelAskedAt],
  ...SETTLED_COLUMNS,
];

const isSettlement = ({ before, after }: TaskChange): boolean =>
  (before.state === 'DISPATCHED' || before.state === 'RUNNING') &&
  (after.state === 'RUNNING' || isTerminal(after.state)) &&
  before.lease === after.lease &&
  before.cancelAskedAt === after.cancelAskedAt;
