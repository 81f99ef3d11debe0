import { Injectable } from '@nestjs/common';
import { placeholders, type Sql } from '../ports.js';
import type { Job } from './job.js';
import { JOB_COLUMNS, type JobRow, jobOf } from './job-row.js';

const A_READ = 1_000;

/** The jobs that belong to no app. */
@Injectable()
export class HouseJobStore {
  /** `<group id> <key>` of the jobs of apps. */
  async takenByApps(sql: Sql, groupIds: readonly number[]): Promise<Set<string>> {
    if (groupIds.length === 0) return new Set();
    const rows = await sql.rows<{ group_id: number; job_key: string }>(
      `SELECT group_id, job_key FROM jobs WHERE app_id IS NOT NULL AND group_id IN (${placeholders(groupIds.length)})`,
      groupIds,
    );
    return new Set(rows.map(({ group_id, job_key }) => `${group_id} ${job_key}`));
  }

  async ofGroups(sql: Sql, groupIds: readonly number[]): Promise<Job[]> {
    if (groupIds.length === 0) return [];
    const jobs: Job[] = [];
    for (let after = ''; ; ) {
      const rows = await sql.rows<JobRow>(
        `SELECT ${JOB_COLUMNS} FROM jobs WHERE id > ? AND app_id IS NULL AND group_id IN (${placeholders(groupIds.length)})
         ORDER BY id LIMIT ${A_READ}`,
        [after, ...groupIds],
      );
      jobs.push(...rows.map(jobOf));
      const last = rows.at(-1);
      if (!last || rows.length < A_READ) return jobs;
      after = last.id;
    }
  }
}
