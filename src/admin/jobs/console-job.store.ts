import { Injectable } from '@nestjs/common';
import type { Job, JobState } from '../../jobs/job.js';
import { JOB_COLUMNS, type JobRow, jobOf } from '../../jobs/job-row.js';
import { placeholders, type Sql, SqlDialect } from '../../ports.js';

export interface ConsoleJobFilter {
  groupIds: readonly number[];
  ids?: readonly string[];
  /** What failed in this bulk operation. */
  failedOf?: string;
  /** Exactly this one, of any group. */
  key?: string;
  appId?: number;
  states?: readonly JobState[];
  kinds?: readonly string[];
  handler?: string;
  owner?: string;
  tag?: string;
  /** Found in key, id, owner or description, whatever the case. */
  text?: string;
  /** Those that fire until then, epoch milliseconds. */
  firesBefore?: number;
  /** Those that may fire and should have before then, epoch milliseconds. */
  dueBefore?: number;
  /** Codes of states one of which its latest task is in. */
  lastStates?: readonly number[];
  /** Those without any task that is still kept. */
  neverRan?: boolean;
  /** Those that will fire, or those of which that cannot be said. */
  hasNextFire?: boolean;
  /** Only what comes after this place in the order. */
  past?: JobPlace;
  limit: number;
  /** Newest first if absent. */
  order?: JobOrder;
}
/**
 * Orders of jobs, each read from an index: by id, by key over all groups, by key within one group, and by the next fire, of those
 * that have one. Ids tell apart what is equal.
 */
export type JobOrder = { by: 'id' | 'job_key' | 'next_fire_at'; way: 'ASC' | 'DESC' };
export interface JobPlace {
  value?: string | number;
  id: string;
}
const INDEX_OF = { id: null, job_key: 'ix_jobs_key', next_fire_at: 'ix_jobs_next_fire' } as const;
const NEWEST: JobOrder = { by: 'id', way: 'DESC' };

/** One of the latest tasks of a job. */
export interface RecentTaskRow {
  id: string;
  job_id: string;
  state: number;
  created_at: number | string;
  started_at: number | string | null;
  ended_at: number | string | null;
}

/** What became of a fire of a job. */
export interface FiredRow {
  job_id: string;
  fire_at: number | string;
  state: number;
  group_id: number;
  created_at: number | string;
  backfill_key: string;
  /** Of a task that stands for fires that came too late: JSON text of which. */
  missed_json: string | null;
}
/** By which schedule and misfire rule a job fired, until the next version. */
export interface FiringVersionRow {
  job_id: string;
  version: number;
  changed_at: number | string;
  /** JSON text; null if the definition cannot be read. */
  schedule_json: string | null;
  misfire: string | null;
}
const FIRED =
  "job_id, fire_at, state, group_id, created_at, backfill_key, CASE WHEN reason = 'misfire_window' THEN result END AS missed_json";

/** One of the tasks of a job, with when it was due. */
export interface JobRunRow extends RecentTaskRow {
  due_at: number | string;
}

/** Jobs as people list them: of all apps, newest first unless asked otherwise. */
@Injectable()
export class ConsoleJobStore {
  constructor(private readonly dialect: SqlDialect) {}

  async list(sql: Sql, { groupIds, limit, order = NEWEST, ...filter }: ConsoleJobFilter): Promise<Job[]> {
    if (groupIds.length === 0) return [];
    const where: string[] = [];
    const params: unknown[] = [];
    const and = (condition: string, ...values: unknown[]) => {
      where.push(condition);
      params.push(...values);
    };
    and(`group_id IN (${placeholders(groupIds.length)})`, ...groupIds);
    if (filter.ids?.length === 0) return [];
    if (filter.ids) and(`id IN (${placeholders(filter.ids.length)})`, ...filter.ids);
    if (filter.failedOf) and("id IN (SELECT item_id FROM bulk_items WHERE bulk_id = ? AND outcome = 'failed')", filter.failedOf);
    if (filter.hasNextFire !== undefined) and(`next_fire_at IS ${filter.hasNextFire ? 'NOT ' : ''}NULL`);
    const { by, way } = order;
    // Within one group no key comes twice.
    const unique = by === 'id' || (by === 'job_key' && groupIds.length === 1);
    if (filter.past) {
      const { value, id } = filter.past;
      const sign = way === 'ASC' ? '>' : '<';
      if (unique) and(`${by} ${sign} ?`, by === 'id' ? id : value);
      else and(`${by} ${sign}= ? AND (${by} ${sign} ? OR id ${sign} ?)`, value, value, id);
    }
    if (filter.key !== undefined) and('job_key = ?', filter.key);
    if (filter.appId !== undefined) and('app_id = ?', filter.appId);
    if (filter.states) and(`job_state IN (${placeholders(filter.states.length)})`, ...filter.states);
    if (filter.kinds) and(`schedule_kind IN (${placeholders(filter.kinds.length)})`, ...filter.kinds);
    if (filter.handler) and('handler = ?', filter.handler);
    if (filter.firesBefore !== undefined) and('next_fire_at < ?', filter.firesBefore);
    if (filter.dueBefore !== undefined) and(OVERDUE, filter.dueBefore);
    if (filter.lastStates) and(`${lastStateOf('jobs')} IN (${placeholders(filter.lastStates.length)})`, ...filter.lastStates);
    if (filter.neverRan) and('NOT EXISTS (SELECT 1 FROM tasks t WHERE t.job_id = jobs.id)');
    if (filter.owner) and('job_owner = ?', filter.owner);
    if (filter.tag) and("tags_json LIKE ? ESCAPE '!'", `%${likeText(JSON.stringify(filter.tag))}%`);
    if (filter.text) {
      const pattern = `%${likeText(filter.text.toLowerCase())}%`;
      const columns = ['LOWER(job_key)', 'LOWER(id)', "LOWER(COALESCE(job_owner, ''))", "LOWER(COALESCE(description, ''))"];
      and(`(${columns.map((column) => `${column} LIKE ? ESCAPE '!'`).join(' OR ')})`, ...columns.map(() => pattern));
    }
    const index = unique && by === 'job_key' ? 'uk_jobs_group_key' : INDEX_OF[by];
    const rows = await sql.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs${this.readBy(index)} WHERE ${where.join(' AND ')}
       ORDER BY ${by} ${way}${unique ? '' : `, id ${way}`} LIMIT ${limit}`,
      params,
    );
    return rows.map(jobOf);
  }

  /** The index is named: left to itself MySQL may take one that only fits the conditions, and sort. */
  private readBy(index: string | null): string {
    return index !== null && this.dialect.name === 'mysql' ? ` FORCE INDEX (${index})` : '';
  }

  /** Those that wait for another or are waited for. */
  async withEdges(sql: Sql, groupIds: readonly number[], limit: number): Promise<string[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<{ id: string }>(
      `SELECT id FROM jobs WHERE group_id IN (${placeholders(groupIds.length)})
       AND id IN (SELECT downstream_id FROM job_edges UNION SELECT upstream_id FROM job_edges) ORDER BY id LIMIT ${limit}`,
      groupIds,
    );
    return rows.map(({ id }) => id);
  }

  /** Those of the keys that jobs of the group have. */
  async keysAmong(sql: Sql, groupId: number, keys: readonly string[]): Promise<string[]> {
    const rows = await sql.rows<{ job_key: string }>(
      `SELECT job_key FROM jobs WHERE group_id = ? AND job_key IN (${placeholders(keys.length)})`,
      [groupId, ...keys],
    );
    return rows.map(({ job_key }) => job_key);
  }

  async keysOf(sql: Sql, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await sql.rows<{ id: string; job_key: string }>(
      `SELECT id, job_key FROM jobs WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
    return new Map(rows.map((row) => [row.id, row.job_key]));
  }

  /** The latest tasks of each job, newest first, each read from the end of its own part of the index. */
  async recent(sql: Sql, jobIds: readonly string[], each: number): Promise<RecentTaskRow[]> {
    if (jobIds.length === 0) return [];
    const one = (_: string, i: number) =>
      `SELECT * FROM (SELECT id, job_id, state, created_at, started_at, ended_at FROM tasks WHERE job_id = ? ORDER BY id DESC LIMIT ${each}) AS recent_${i}`;
    return sql.rows<RecentTaskRow>(jobIds.map(one).join(' UNION ALL '), jobIds);
  }

  /** The tasks of fires of these jobs in [from, to), of each job the earliest, read from its own part of the index. */
  async fired(sql: Sql, jobIds: readonly string[], from: number, to: number, each: number): Promise<FiredRow[]> {
    if (jobIds.length === 0) return [];
    const one = (_: string, i: number) =>
      `SELECT * FROM (SELECT ${FIRED} FROM tasks WHERE job_id = ? AND fire_at >= ? AND fire_at < ? AND parent_id IS NULL
       ORDER BY fire_at LIMIT ${each}) AS fired_${i}`;
    return sql.rows<FiredRow>(
      jobIds.map(one).join(' UNION ALL '),
      jobIds.flatMap((id) => [id, from, to]),
    );
  }

  /** The latest versions of each job, newest first. */
  async firingVersions(sql: Sql, jobIds: readonly string[], each: number): Promise<FiringVersionRow[]> {
    if (jobIds.length === 0) return [];
    const member = (name: string) =>
      `CASE WHEN JSON_VALID(definition_json) THEN CAST(JSON_EXTRACT(definition_json, '$.${name}') AS CHAR) END`;
    const one = (_: string, i: number) =>
      `SELECT * FROM (SELECT job_id, version, changed_at, ${member('schedule')} AS schedule_json, ${member('misfire')} AS misfire
       FROM job_versions WHERE job_id = ? ORDER BY version DESC LIMIT ${each}) AS versions_${i}`;
    return sql.rows<FiringVersionRow>(jobIds.map(one).join(' UNION ALL '), jobIds);
  }

  /** Jobs with times of their own for which nothing is planned, and that may have fired or should have since `from`, newest first. */
  async resting(sql: Sql, groupIds: readonly number[], from: number, limit: number): Promise<Job[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs WHERE next_fire_at IS NULL AND group_id IN (${placeholders(groupIds.length)})
       AND schedule_kind IN ('cron', 'every', 'once', 'after') AND (job_state <> 'active' OR last_fire_at >= ?) ORDER BY id DESC LIMIT ${limit}`,
      [...groupIds, from],
    );
    return rows.map(jobOf);
  }

  /** Tasks of one job whose ids are in [from, before), newest first. */
  async runs(sql: Sql, jobId: string, from: string, before: string, limit: number): Promise<JobRunRow[]> {
    return sql.rows<JobRunRow>(
      `SELECT id, job_id, state, created_at, due_at, started_at, ended_at FROM tasks
       WHERE job_id = ? AND id >= ? AND id < ? ORDER BY id DESC LIMIT ${limit}`,
      [jobId, from, before],
    );
  }

  /** Active jobs that fire in [from, to), earliest first. */
  async firing(sql: Sql, groupIds: readonly number[], from: number, to: number, limit: number): Promise<Job[]> {
    if (groupIds.length === 0) return [];
    const rows = await sql.rows<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM jobs WHERE next_fire_at >= ? AND next_fire_at < ? AND group_id IN (${placeholders(groupIds.length)})
       ORDER BY next_fire_at LIMIT ${limit}`,
      [from, to, ...groupIds],
    );
    return rows.map(jobOf);
  }

  /** How many of the newest jobs have a latest task in one of these states; `looked`: how many there were to look at, no more than `most`. */
  async countLast(sql: Sql, groupIds: readonly number[], lastStates: readonly number[], most: number) {
    if (groupIds.length === 0) return { count: 0, looked: 0 };
    const [row] = await sql.rows<{ looked: number | string; n: number | string }>(
      `SELECT COUNT(*) AS looked, COUNT(CASE WHEN ${lastStateOf('newest')} IN (${placeholders(lastStates.length)}) THEN 1 END) AS n
       FROM (SELECT id FROM jobs WHERE group_id IN (${placeholders(groupIds.length)}) ORDER BY id DESC LIMIT ${most}) AS newest`,
      [...lastStates, ...groupIds],
    );
    return { count: Number(row?.n ?? 0), looked: Number(row?.looked ?? 0) };
  }

  /** How many may fire and should have before then, counted no further than `limit`. */
  async countOverdue(sql: Sql, groupIds: readonly number[], dueBefore: number, limit: number): Promise<number> {
    if (groupIds.length === 0) return 0;
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM jobs WHERE ${OVERDUE}
       AND group_id IN (${placeholders(groupIds.length)}) LIMIT ${limit}) AS overdue`,
      [dueBefore, ...groupIds],
    );
    return Number(row?.n ?? 0);
  }

  /** How many fire in [from, to), counted no further than `limit`; `except` is not one of them. */
  async countFiring(
    sql: Sql,
    groupIds: readonly number[] | null,
    from: number,
    to: number,
    limit: number,
    except?: string,
  ): Promise<number> {
    if (groupIds?.length === 0) return 0;
    const inGroups = groupIds ? `AND group_id IN (${placeholders(groupIds.length)})` : '';
    const others = except === undefined ? '' : 'AND id <> ?';
    const [row] = await sql.rows<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM jobs WHERE next_fire_at >= ? AND next_fire_at < ? ${inGroups} ${others} LIMIT ${limit}) AS firing`,
      [from, to, ...(groupIds ?? []), ...(except === undefined ? [] : [except])],
    );
    return Number(row?.n ?? 0);
  }
}

/** Read from the end of the job's own part of the index. */
const lastStateOf = (jobs: string): string =>
  `(SELECT t.state FROM tasks t WHERE t.job_id = ${jobs}.id ORDER BY t.id DESC LIMIT 1)`;
const OVERDUE = "job_state = 'active' AND next_fire_at < ?";
const likeText = (text: string): string => text.replace(/[!%_]/g, '!$&');
