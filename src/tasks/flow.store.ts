import type { ReasonCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { stateOf } from '../decisions/state-codes.js';
import type { UpstreamTask } from '../decisions/upstream-wait.js';
import { insertRows } from '../platform/database/insert-rows.js';
import { slices } from '../platform/slices.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';

export interface FlowTask {
  flowId: string;
  taskId: string;
  jobId: string | null;
  joinJobId: string | null;
}
/** A task of a flow as it stands. */
export interface FlowMember extends FlowTask {
  task: NonNullable<UpstreamTask>;
}
/** One upstream of a task that waits, or waited. */
export interface UpstreamFact {
  taskId: string;
  upstream: UpstreamTask;
  flowId: string | null;
}

interface FactRow {
  task_id: string;
  id: string;
  state: number;
  reason: string | null;
  flow_id: string | null;
}
interface MemberRow {
  flow_id: string;
  task_id: string;
  job_id: string | null;
  join_job_id: string | null;
  state: number;
  reason: string | null;
}

/** SELECTs of one UNION; SQLite takes five hundred. */
const UNITED = 200;

/** Every statement about what waits for what, and about flows. */
@Injectable()
export class FlowStore {
  constructor(private readonly dialect: SqlDialect) {}

  async addEdges(tx: Sql, edges: readonly { downstreamId: string; upstreamId: string }[]): Promise<void> {
    await insertRows(
      tx,
      'task_edges (downstream_id, upstream_id)',
      edges.map(({ downstreamId, upstreamId }) => [downstreamId, upstreamId]),
    );
  }

  async addWaits(tx: Sql, tasks: readonly { id: string; partition: number }[]): Promise<void> {
    await insertRows(
      tx,
      'task_waits (task_id, partition_no)',
      tasks.map(({ id, partition }) => [id, partition]),
    );
  }

  async dropWaits(tx: Sql, taskIds: readonly string[]): Promise<void> {
    if (taskIds.length > 0) await tx.run(`DELETE FROM task_waits WHERE task_id IN (${placeholders(taskIds.length)})`, taskIds);
  }

  async addToFlows(tx: Sql, tasks: readonly FlowTask[]): Promise<void> {
    await insertRows(
      tx,
      'flow_tasks (flow_id, task_id, job_id, join_job_id)',
      tasks.map(({ flowId, taskId, jobId, joinJobId }) => [flowId, taskId, jobId, joinJobId]),
    );
  }

  /** Writes the flow of tasks that have none, as a new version of each. The caller holds their locks. */
  async setFlow(tx: Sql, tasks: readonly FlowTask[]): Promise<void> {
    if (tasks.length === 0) return;
    await this.dialect.updateFromRows(tx, {
      table: 'tasks',
      columns: [
        ['id', 'id'],
        ['new_flow', 'text'],
      ],
      rows: tasks.map(({ taskId, flowId }) => [taskId, flowId]),
      set: { flow_id: 'r.new_flow', version: 't.version + 1' },
      on: 't.id = r.id',
    });
    await this.addToFlows(tx, tasks);
  }

  /** A new version, so that a write decided without knowing of the dependant is lost and decided again. */
  async markAwaited(tx: Sql, ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await tx.run(`UPDATE tasks SET awaited = 1, version = version + 1 WHERE id IN (${placeholders(ids.length)})`, ids);
  }

  /** Tasks that wait for one of these tasks now. */
  async waitingForTasks(sql: Sql, upstreamIds: readonly string[]): Promise<string[]> {
    if (upstreamIds.length === 0) return [];
    const rows = await sql.rows<{ task_id: string }>(
      `SELECT DISTINCT w.task_id AS task_id FROM task_edges e INNER JOIN task_waits w ON w.task_id = e.downstream_id
       WHERE e.upstream_id IN (${placeholders(upstreamIds.length)})`,
      upstreamIds,
    );
    return rows.map(({ task_id }) => task_id);
  }

  /** Fires that wait now for what these jobs fire at or after `since`. */
  async waitingForJobs(sql: Sql, upstreamIds: readonly string[], since: number): Promise<string[]> {
    if (upstreamIds.length === 0) return [];
    const rows = await sql.rows<{ task_id: string }>(
      `SELECT DISTINCT w.task_id AS task_id FROM task_waits w INNER JOIN period_waits p ON p.task_id = w.task_id
       WHERE p.upstream_id IN (${placeholders(upstreamIds.length)}) AND p.until_at >= ?`,
      [...upstreamIds, since],
    );
    return rows.map(({ task_id }) => task_id);
  }

  /** Those of the tasks that wait for upstreams now. */
  async waitingAmong(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await sql.rows<{ task_id: string }>(
      `SELECT task_id FROM task_waits WHERE task_id IN (${placeholders(ids.length)})`,
      ids,
    );
    return new Set(rows.map(({ task_id }) => task_id));
  }

  /** Waiting tasks of the partitions in the order of their ids, from the one after `afterId`. */
  async waitingIn(
    sql: Sql,
    partitions: readonly number[],
    afterId: string,
    limit: number,
  ): Promise<{ id: string; partition: number }[]> {
    const rows = await sql.rows<{ task_id: string; partition_no: number }>(
      `SELECT task_id, partition_no FROM task_waits WHERE task_id > ? AND partition_no IN (${placeholders(partitions.length)})
       ORDER BY task_id LIMIT ${limit}`,
      [afterId, ...partitions],
    );
    return rows.map((row) => ({ id: row.task_id, partition: row.partition_no }));
  }

  /** Fires that wait now for what these jobs fire, and tasks of these jobs that wait now. */
  async waitingAbout(sql: Sql, jobIds: readonly string[]): Promise<{ id: string; partition: number }[]> {
    if (jobIds.length === 0) return [];
    const ids = placeholders(jobIds.length);
    const rows = await sql.rows<{ task_id: string; partition_no: number }>(
      `SELECT w.task_id AS task_id, w.partition_no AS partition_no FROM period_waits p INNER JOIN task_waits w ON w.task_id = p.task_id
       WHERE p.upstream_id IN (${ids})
       UNION SELECT w.task_id, w.partition_no FROM job_slots s INNER JOIN task_waits w ON w.task_id = s.task_id WHERE s.job_id IN (${ids})`,
      [...jobIds, ...jobIds],
    );
    return rows.map((row) => ({ id: row.task_id, partition: row.partition_no }));
  }

  /** What submitted tasks depend on. An upstream deleted by retention counts for nothing. */
  async edgeFacts(sql: Sql, taskIds: readonly string[]): Promise<UpstreamFact[]> {
    if (taskIds.length === 0) return [];
    const rows = await sql.rows<FactRow>(
      `SELECT e.downstream_id AS task_id, t.id AS id, t.state AS state, t.reason AS reason, t.flow_id AS flow_id
       FROM task_edges e INNER JOIN tasks t ON t.id = e.upstream_id
       WHERE e.downstream_id IN (${placeholders(taskIds.length)}) ORDER BY t.id`,
      taskIds,
    );
    return rows.map(factOf);
  }

  /** The rows of tasks that are the join of their flow. */
  async joinsAmong(sql: Sql, taskIds: readonly string[]): Promise<(FlowTask & { joinJobId: string })[]> {
    if (taskIds.length === 0) return [];
    const rows = await sql.rows<Omit<MemberRow, 'state' | 'reason'> & { join_job_id: string }>(
      `SELECT flow_id, task_id, job_id, join_job_id FROM flow_tasks
       WHERE task_id IN (${placeholders(taskIds.length)}) AND join_job_id IS NOT NULL`,
      taskIds,
    );
    return rows.map((row) => ({
      flowId: row.flow_id,
      taskId: row.task_id,
      jobId: row.job_id,
      joinJobId: row.join_job_id,
    }));
  }

  /** The tasks of these jobs in these flows. */
  async members(sql: Sql, flowIds: readonly string[], jobIds: readonly string[]): Promise<FlowMember[]> {
    if (flowIds.length === 0 || jobIds.length === 0) return [];
    const rows = await sql.rows<MemberRow>(
      `SELECT f.flow_id AS flow_id, f.task_id AS task_id, f.job_id AS job_id, f.join_job_id AS join_job_id, t.state AS state, t.reason AS reason
       FROM flow_tasks f INNER JOIN tasks t ON t.id = f.task_id
       WHERE f.flow_id IN (${placeholders(flowIds.length)}) AND f.job_id IN (${placeholders(jobIds.length)}) ORDER BY f.task_id`,
      [...flowIds, ...jobIds],
    );
    return rows.map((row) => ({
      flowId: row.flow_id,
      taskId: row.task_id,
      jobId: row.job_id,
      joinJobId: row.join_job_id,
      task: { id: row.task_id, state: stateOf(row.state), reason: row.reason as ReasonCode | null },
    }));
  }

  /** Tasks that depend on one of these, whatever became of them. */
  async dependantsOfTasks(sql: Sql, upstreamIds: readonly string[]): Promise<string[]> {
    if (upstreamIds.length === 0) return [];
    const rows = await sql.rows<{ downstream_id: string }>(
      `SELECT DISTINCT downstream_id FROM task_edges WHERE upstream_id IN (${placeholders(upstreamIds.length)})`,
      upstreamIds,
    );
    return rows.map(({ downstream_id }) => downstream_id);
  }

  /** Fires whose period holds one of these fires, whatever became of them. */
  async dependantsOfFires(sql: Sql, fires: readonly { jobId: string; fireAt: number }[]): Promise<string[]> {
    if (fires.length === 0) return [];
    const found = new Set<string>();
    for (const some of slices(fires, UNITED)) {
      const rows = await sql.rows<{ task_id: string }>(
        some
          .map(() => 'SELECT task_id FROM period_waits WHERE upstream_id = ? AND after_at < ? AND until_at >= ?')
          .join(' UNION '),
        some.flatMap(({ jobId, fireAt }) => [jobId, fireAt, fireAt]),
      );
      for (const { task_id } of rows) found.add(task_id);
    }
    return [...found];
  }
}

const factOf = (row: FactRow): UpstreamFact => ({
  taskId: row.task_id,
  upstream: { id: row.id, state: stateOf(row.state), reason: row.reason as ReasonCode | null },
  flowId: row.flow_id ?? row.id,
});
