import { Injectable } from '@nestjs/common';
import { PARENT_LANE, PINNED_LANE } from '../decisions/partitioning.js';
import { STATE_CODE } from '../decisions/state-codes.js';
import { stepText, type TimelineStep } from '../decisions/timeline.js';
import { type Maintenance, maintenanceIn } from '../jobs/maintenance.js';
import { slices } from '../platform/slices.js';
import { placeholders, type Sql, SqlDialect } from '../ports.js';
import type { TaskRecord } from './task.js';
import { recordOf, SETTLE_COLUMNS, type TaskRow } from './task-row.js';

const { PENDING, DISPATCHED, RUNNING } = STATE_CODE;
/** SQLite takes no more than 500 terms of a union. */
const COUNTED_AT_ONCE = 400;
/** What an attempt may be under way of: everything but tasks that are divided into shards, whose lane is below all others. */
const ATTEMPTED = (alias = '') => `${alias}state IN (${DISPATCHED}, ${RUNNING}) AND ${alias}lane > ${PARENT_LANE}`;

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
  group_id: number;
  job_id: string | null;
  /** Not null: there is a checkpoint to go on from. */
  checkpoint_at: number | string | null;
  shard_index: number | null;
  /** Null for a task that is no shard. */
  shard_total: number | null;
  /** Set for a shard made for one worker. */
  pinned_worker_id: string | null;
}

/** Which shards made for one worker may be picked: those of these handlers, but for the workers that have no room now. */
export interface PinnedPick {
  handlers: readonly string[];
  full: readonly string[];
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

/** The heads of a group's lanes, and what its row says of starting them. */
export interface Picked {
  running: number;
  maxRunning: number;
  held: boolean;
  heldUntil: number | null;
  /** Nothing of any group may be started now. */
  maintenance: Maintenance | null;
  /** Workers that nothing may be claimed for, whatever this node knows of them. */
  cordoned: ReadonlySet<string>;
  rows: ClaimableRow[];
}
const NOBODY: ReadonlySet<string> = new Set();
interface GroupColumns {
  max_running: number | string;
  held: number;
  held_until: number | string | null;
  maintenance: string | null;
  any_cordoned: number | string;
}

/** Statements of those who start tasks: what can start, the claim, and what was claimed and has not ended. */
@Injectable()
export class ClaimStore {
  constructor(private readonly dialect: SqlDialect) {}

  /** Attempts that count against the quota of each of these groups. */
  async countInFlight(tx: Sql, groupIds: readonly number[]): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    for (const some of slices(groupIds, COUNTED_AT_ONCE)) for (const [id, n] of await this.inFlightOf(tx, some)) found.set(id, n);
    return found;
  }

  private async inFlightOf(tx: Sql, groupIds: readonly number[]): Promise<[number, number][]> {
    // Each by itself: a grouping of all of them is sorted in a temporary table.
    const ofOne = `SELECT ? AS group_id, COUNT(*) AS n FROM tasks WHERE group_id = ? AND ${ATTEMPTED()}`;
    const rows = await tx.rows<{ group_id: number | string; n: number | string }>(
      groupIds.map(() => ofOne).join(' UNION ALL '),
      groupIds.flatMap((id) => [id, id]),
    );
    return rows.map((row) => [Number(row.group_id), Number(row.n)]);
  }

  /** Attempts of the group on each worker. */
  async inFlightByWorker(tx: Sql, groupId: number): Promise<Map<string, number>> {
    const rows = await tx.rows<{ worker_id: string; n: number | string }>(
      `SELECT worker_id, COUNT(*) AS n FROM tasks WHERE group_id = ? AND ${ATTEMPTED()} GROUP BY worker_id`,
      [groupId],
    );
    return new Map(rows.map((row) => [row.worker_id, Number(row.n)]));
  }

  /**
   * The first pending tasks of the lanes in the order they must start, and how many attempts of the group count against its
   * quota; one statement. Each lane's head is read from the index alone and in its order, so the cost does not grow with the
   * backlog. Quota, holds and cordons are the rows as they are now, not as this node knows them. `running` is unknown (0) where nothing is pending.
   */
  async pick(
    tx: Sql,
    groupId: number,
    lanes: readonly number[],
    limit: number,
    pinned: PinnedPick = { handlers: [], full: [] },
  ): Promise<Picked> {
    const head = `SELECT * FROM (SELECT id, pick_order FROM tasks WHERE group_id = ? AND state = ${PENDING} AND lane = ? ORDER BY pick_order LIMIT ${limit})`;
    const heads = lanes.map((_, i) => `${head} AS lane_${i}`);
    if (pinned.handlers.length > 0) heads.push(`${pinnedHead(pinned, limit)} AS pinned`);
    const rows = await tx.rows<ClaimableRow & { running: number | string } & GroupColumns>(
      `SELECT t.id, t.version, t.handler, t.priority, t.attempt, t.timeout_ms, t.scheduled_at, t.params, t.options_json,
        t.group_id, t.job_id, t.checkpoint_at, t.shard_index, t.shard_total, t.pinned_worker_id,
        (SELECT COUNT(*) FROM tasks c WHERE c.group_id = ? AND ${ATTEMPTED('c.')}) AS running,
        (SELECT g.max_running FROM task_groups g WHERE g.id = ?) AS max_running, (SELECT g.held FROM task_groups g WHERE g.id = ?) AS held,
        (SELECT g.held_until FROM task_groups g WHERE g.id = ?) AS held_until,
        (SELECT s.setting_json FROM system_settings s WHERE s.setting_name = 'maintenance') AS maintenance,
        EXISTS (SELECT 1 FROM workers w WHERE w.cordoned_at IS NOT NULL) AS any_cordoned
       FROM (${heads.join(' UNION ALL ')} ORDER BY pick_order LIMIT ${limit}) AS h INNER JOIN tasks t ON t.id = h.id ORDER BY h.pick_order`,
      [
        groupId,
        groupId,
        groupId,
        groupId,
        ...lanes.flatMap((lane) => [groupId, lane]),
        ...(pinned.handlers.length > 0 ? [groupId, ...pinned.handlers, ...pinned.full] : []),
      ],
    );
    const [first] = rows;
    return {
      running: Number(first?.running ?? 0),
      maxRunning: Number(first?.max_running ?? 0),
      held: first?.held === 1,
      heldUntil: first?.held_until == null ? null : Number(first.held_until),
      maintenance: maintenanceIn(first?.maintenance ?? null),
      cordoned: Number(first?.any_cordoned ?? 0) === 0 ? NOBODY : await this.cordoned(tx),
      rows,
    };
  }

  private async cordoned(tx: Sql): Promise<ReadonlySet<string>> {
    const rows = await tx.rows<{ worker_id: string }>('SELECT worker_id FROM workers WHERE cordoned_at IS NOT NULL');
    return new Set(rows.map(({ worker_id }) => worker_id));
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
        ended_at = NULL, reason = NULL, progress = NULL, timeline = ${this.dialect.concat('timeline', '?')}
       WHERE id IN (${placeholders(claims.length)}) AND version = ? AND state = ${PENDING}`,
      [version + 1, version + 1, workerId, incarnation, at, `,${stepText(step)}`, ...claims.map(({ id }) => id), version],
    );
  }

  /** Groups of the partitions that have a pending task: one probe of the index per group. */
  async groupsWithWork(sql: Sql, partitions: readonly number[]): Promise<number[]> {
    const rows = await sql.rows<{ id: number; head: string | null }>(
      `SELECT g.id AS id, (SELECT t.id FROM tasks t WHERE t.group_id = g.id AND t.state = ${PENDING} AND t.lane > ${PARENT_LANE} ORDER BY t.lane DESC LIMIT 1) AS head
       FROM task_groups g WHERE g.partition_no IN (${placeholders(partitions.length)})`,
      partitions,
    );
    return rows.filter((row) => row.head !== null).map((row) => row.id);
  }

  /** Every DISPATCHED and RUNNING task of the groups, as far as recovery needs it. */
  async inFlight(sql: Sql, groupIds: readonly number[]): Promise<TaskRecord[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<TaskRow>(
      `SELECT ${SETTLE_COLUMNS} FROM tasks WHERE group_id IN (${placeholders(groupIds.length)}) AND ${ATTEMPTED()}`,
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
      `SELECT id, version, handler, priority, attempt, timeout_ms, scheduled_at, params, options_json, group_id, job_id,
         checkpoint_at, shard_index, shard_total, pinned_worker_id, lease, worker_id, worker_incarnation
       FROM tasks WHERE id IN (${placeholders(ids.length)}) AND state = ${DISPATCHED}`,
      ids,
    );
  }
}

/** Reads rows, not only the index; but in this lane stand none but shards of broadcasts. */
function pinnedHead({ handlers, full }: PinnedPick, limit: number): string {
  const exceptFull = full.length > 0 ? `AND pinned_worker_id NOT IN (${placeholders(full.length)})` : '';
  return `SELECT * FROM (SELECT id, pick_order FROM tasks WHERE group_id = ? AND state = ${PENDING} AND lane = ${PINNED_LANE}
    AND handler IN (${placeholders(handlers.length)}) ${exceptFull} ORDER BY pick_order LIMIT ${limit})`;
}
