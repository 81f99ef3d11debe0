import type { Backends } from '../../src/backends/backends.js';
import type { JobDefinition } from '../../src/decisions/job-definition.js';
import type { Schedule } from '../../src/decisions/schedule/schedule.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { JobStore } from '../../src/jobs/job.store.js';
import { newId } from '../../src/platform/ids.js';
import type { Sql } from '../../src/ports.js';

const CHUNK = 200;
const REST = { overlap: 'allow', maxParallel: 1_000, misfire: 'fire_all', misfireWindowMs: 600_000, timeZone: 'UTC' } as const;

export interface PlannedJob {
  schedule: Schedule;
  nextFireAt: number;
  handler?: string;
  params?: unknown;
}

/** Puts many jobs into the table as if they had been created, spread over the groups. */
export async function seedJobs(
  { dialect, clock }: Backends,
  groupKeys: readonly string[],
  count: number,
  planned: (index: number) => PlannedJob,
): Promise<void> {
  const groups = (await new GroupStore(dialect).all(dialect.root)).filter(({ key }) => groupKeys.includes(key));
  const store = new JobStore(dialect);
  const now = Math.floor(clock.now());
  for (let from = 0; from < count; from += CHUNK) {
    const rows: { sql: string; params: readonly unknown[] }[] = [];
    const collect = { run: async (sql: string, params: readonly unknown[]) => rows.push({ sql, params }) } as unknown as Sql;
    for (let i = from; i < Math.min(count, from + CHUNK); i++) {
      const group = groups[i % groups.length] as (typeof groups)[0];
      const { schedule, nextFireAt, handler = 'noop', params = {} } = planned(i);
      const plain = { policies: {}, metadata: null, callbackUrl: null, owner: null, tags: [], description: null };
      const definition: JobDefinition = { handler, params: JSON.stringify(params), schedule, ...REST, ...plain };
      const id = newId('job');
      const owner = { appId: 1, clientRequestId: null, fingerprint: null, by: 'test' };
      await store.insert(
        collect,
        id,
        { key: id, groupId: group.id, partition: group.partition, ...owner },
        definition,
        nextFireAt,
        now,
      );
    }
    // What the store writes row by row, in one statement.
    const [into, row] = (rows[0] as { sql: string }).sql.split(' VALUES ');
    await dialect.root.run(
      `${into} VALUES ${rows.map(() => row).join(', ')}`,
      rows.flatMap(({ params }) => params),
    );
  }
}
