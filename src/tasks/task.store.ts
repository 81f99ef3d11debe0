import { isTerminal, TASK_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { pickOrder } from '../decisions/partitioning.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import type { JobDue } from '../jobs/job-news.js';
import { placeholders, type RowColumnType, type Sql, SqlDialect } from '../ports.js';
import type { TaskFilter, TaskRecord } from './task.js';
import type { ParentNews } from './task-news.js';
import { ALL_COLUMNS, recordOf, SETTLE_COLUMNS, stateCodeOf, type TaskRow, wakeAtOf } from './task-row.js';

/** A task as it was read and as it shall be; written only if nobody wrote it since. */
export interface TaskChange {
  before: TaskRecord;
  after: TaskRecord;
  /** The fire of its job that its end made known. */
  planned?: JobDue;
  /** It is a shard whose end means that the others must stop: the task whose shards they are. */
  stops?: ParentNews;
}

const TERMINAL_CODES = TASK_STATES.filter(isTerminal)
  .map((state) => STATE_CODE[state])
  .join(', ');

/**
 * Statements about tasks that exist. A state is changed only by the conditional update of `save` and by the claim (ClaimStore),
 * which is one too.
 */
@Injectable()
export class TaskStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** The tasks that already bear these request ids of one app, with their fingerprints. */
  async withRequestIds(sql: Pick<Sql, 'rows'>, appId: number, requestIds: readonly string[]): Promise<TaskRow[]> {
    return sql.rows<TaskRow>(
      `SELECT id, client_request_id, request_fp, handler, group_id, scheduled_at, created_at, first_state FROM tasks
       WHERE app_id = ? AND client_request_id IN (${placeholders(requestIds.length)})`,
      [appId, ...requestIds],
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

  /** Those of the tasks that have not ended. */
  async unfinished(sql: Sql, ids: readonly string[]): Promise<string[]> {
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM tasks WHERE id IN (${placeholders(ids.length)}) AND state NOT IN (${TERMINAL_CODES})`,
      ids,
    );
    return rows.map(({ id }) => id);
  }

  async find(sql: Sql, id: string): Promise<TaskRecord | null> {
    const [row] = await sql.rows<TaskRow>(`SELECT ${ALL_COLUMNS} FROM tasks WHERE id = ?`, [id]);
    return row ? recordOf(row) : null;
  }

  async statesOf(
    sql: Sql,
    ids: readonly string[],
  ): Promise<
    { id: string; state: number; lease: number | null; cancel_asked_at: number | string | null; reason: string | null }[]
  > {
    return sql.rows(`SELECT id, state, lease, cancel_asked_at, reason FROM tasks WHERE id IN (${placeholders(ids.length)})`, ids);
  }

  /** Newest first. Order by id is order by creation: an id begins with its instant. */
  async list(sql: Sql, filter: TaskFilter, fromId: string | null, toId: string | null): Promise<TaskRecord[]> {
    if (filter.groupIds?.length === 0) return [];
    // Each kind of list is read in the order of one index: of a task's shards, whose ids ascend with their number, of a flow, of the app.
    const ofParent = filter.parentId !== undefined;
    const ofFlow = filter.flowId !== undefined && !ofParent;
    const where = [ofParent || ofFlow ? 'app_id + 0 = ?' : 'app_id = ?'];
    const order = ofParent ? 'parent_id DESC, shard_index DESC' : ofFlow ? 'f.task_id DESC' : 'app_id DESC, id DESC';
    const from = ofParent ? this.shardsInOrder : ofFlow ? this.membersInOrder : 'tasks';
    const params: unknown[] = [...(ofFlow ? [filter.flowId] : []), filter.appId];
    const and = (condition: string, ...values: unknown[]) => {
      where.push(condition);
      params.push(...values);
    };
    if (filter.before) and(`${ofFlow ? 'f.task_id' : 'id'} < ?`, filter.before);
    if (fromId) and('id >= ?', fromId);
    if (toId) and('id < ?', toId);
    if (filter.states)
      and(`state IN (${placeholders(filter.states.length)})`, ...filter.states.map((state) => STATE_CODE[state]));
    if (filter.clientRequestId) and('client_request_id = ?', filter.clientRequestId);
    if (filter.handler) and('handler = ?', filter.handler);
    if (filter.groupIds) and(`group_id IN (${placeholders(filter.groupIds.length)})`, ...filter.groupIds);
    if (filter.jobId) and('job_id = ?', filter.jobId);
    if (filter.flowId && !ofFlow) and('id IN (SELECT task_id FROM flow_tasks WHERE flow_id = ?)', filter.flowId);
    if (ofParent) and('parent_id = ?', filter.parentId);
    // Written so that no index on the parent is taken for it: nearly every task has none.
    else and("COALESCE(parent_id, '') = ''");
    const rows = await sql.rows<TaskRow>(
      `SELECT ${ALL_COLUMNS} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ${filter.limit}`,
      params,
    );
    return rows.map(recordOf);
  }

  /** Named, since MySQL may take an index that only fits the cursor, and sort. */
  private get shardsInOrder(): string {
    return this.dialect.name === 'mysql' ? 'tasks FORCE INDEX (uk_tasks_parent_shard)' : 'tasks';
  }

  /** Read first, so that their order is that of the list. */
  private get membersInOrder(): string {
    const then = this.dialect.name === 'mysql' ? 'STRAIGHT_JOIN' : 'CROSS JOIN';
    return `(SELECT task_id FROM flow_tasks WHERE flow_id = ?) AS f ${then} tasks ON id = f.task_id`;
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
