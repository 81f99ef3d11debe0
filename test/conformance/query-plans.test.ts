import { ConsoleJobStore } from '../../src/admin/jobs/console-job.store.js';
import { AuditStore } from '../../src/auth/audit.store.js';
import { DeliveryStore } from '../../src/callbacks/delivery.store.js';
import { partitionOf } from '../../src/decisions/partitioning.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { newId } from '../../src/platform/ids.js';
import { FlowStore } from '../../src/tasks/flow.store.js';
import { JobTaskStore } from '../../src/tasks/job-task.store.js';
import { type HotRows, hotStatements, tickStatements } from '../support/hot-statements.js';
import { JobWorld } from '../support/job-world.js';
import { type Recorded, RecordingSql } from '../support/recording-sql.js';
import { seedTasks } from '../support/seeded-tasks.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';

const GROUPS = ['pay', 'mail', 'report', 'sync', 'render'];
const HANDLERS = ['noop', 'echo', 'http'];
const JOBS = 1_000;
const SHARDS = 200;
const APP = 1;
/** Small by nature: a row per partition, per group. A scan of them is no cost that grows with work. */
/** Or empty but for what a statement of the test has just put there. */
const SMALL_TABLES = ['partitions', 'task_groups', 'g', 'period_waits', 'p'];
class RolledBack extends Error {}

describe.each(ADAPTERS)('the plans of hot statements (%s)', (adapter) => {
  let database: FreshDatabase;
  let world: JobWorld;
  let rows: HotRows;
  const backends = () => world.backends;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    world = await JobWorld.create(database);
    const { dialect } = backends();
    const store = new GroupStore(dialect);
    for (const key of GROUPS) await store.ensure(dialect.root, key, { maxRunning: 100, maxPending: 1_000_000 }, 1);
    const groups = (await store.all(dialect.root)).filter(({ key }) => GROUPS.includes(key));
    const now = Math.round(backends().clock.now());
    for (const [at, group] of groups.entries())
      await seedTasks(backends(), group, 4_000, (i) => ({
        handler: HANDLERS[i % 3] as string,
        priority: 1 + (i % 10),
        appId: APP,
        clientRequestId: `r-${at}-${i}`,
        state: i % 5 === 0 ? 'SCHEDULED' : i % 5 === 1 ? 'SKIPPED' : 'PENDING',
        dueAt: i % 5 === 0 ? now + i * 1_000 : now - i,
      }));
    const jobIds: string[] = [];
    for (let i = 0; i < 50; i++) jobIds.push((await world.job({ schedule: { kind: 'every', everyMs: 1_000 } })).id);
    await copyJobs(jobIds[0] as string);
    world.clock.pass(2_000);
    await world.fire(...jobIds);
    const [task] = await world.tasksOf(jobIds[0] as string);
    await occupy();
    const pending = (await dialect.root.rows<{ id: string }>('SELECT id FROM tasks WHERE state = 3 LIMIT 300')).map(
      ({ id }) => id,
    );
    const { parent, flow } = await family(groups[0] as never, pending);
    const requestIds = Array.from({ length: 100 }, (_, i) => `r-0-${i}`);
    rows = {
      groupIds: groups.map(({ id }) => id),
      handlers: HANDLERS,
      pending,
      jobIds,
      taskOfJob: task?.id as string,
      app: { id: APP, requestIds },
      parent,
      flow,
    };
    await analyse();
  }, 240_000);
  afterAll(() => database?.drop());

  /** The same job a thousand times, as rows. */
  const copyJobs = async (id: string) => {
    const { root } = backends().dialect;
    const [row] = await root.rows<Record<string, unknown>>('SELECT * FROM jobs WHERE id = ?', [id]);
    const columns = Object.keys(row as object);
    const at = (name: string) => columns.indexOf(name);
    for (let from = 0; from < JOBS; from += 100) {
      const values = Array.from({ length: 100 }, (_, i) => {
        const copied = Object.values(row as object);
        copied[at('id')] = newId('job');
        copied[at('app_id')] = i % 4 === 0 ? APP : APP + 1;
        copied[at('job_key')] = `copied-${from + i}`;
        copied[at('partition_no')] = partitionOf(`${from + i}`);
        copied[at('next_fire_at')] = Number(copied[at('next_fire_at')]) + i * 60_000;
        copied[at('schedule_kind')] = i % 10 === 0 ? 'after' : 'every';
        return copied;
      });
      const marks = `(${columns.map(() => '?').join(', ')})`;
      await root.run(`INSERT INTO jobs (${columns.join(', ')}) VALUES ${values.map(() => marks).join(', ')}`, values.flat());
    }
  };
  /** Tasks with shards and flows of tasks, among thousands that are of none. */
  const family = async (group: { id: number; partition: number }, members: readonly string[]) => {
    const [parent, other] = [newId('task'), newId('task')];
    await seedTasks(backends(), group, SHARDS * 2, (i) => ({
      appId: APP,
      shard: { parentId: i % 2 === 0 ? parent : other, index: i >> 1, total: SHARDS, pinnedWorkerId: null },
    }));
    const flows = new FlowStore(backends().dialect);
    const all = (await backends().dialect.root.rows<{ id: string }>('SELECT id FROM tasks WHERE parent_id IS NULL')).map(
      ({ id }) => id,
    );
    const flow = members[0] as string;
    const inFlow = new Set(members);
    const rows = all.map((id, i) => ({
      flowId: inFlow.has(id) ? flow : (all[i - (i % 4)] as string),
      taskId: id,
      jobId: null,
      joinJobId: null,
    }));
    for (let from = 0; from < rows.length; from += 500)
      await backends().dialect.transaction((tx) => flows.addToFlows(tx, rows.slice(from, from + 500)));
    return { parent, flow };
  };
  /** Every job has a task that is going. */
  const occupy = async () => {
    await backends().dialect.root.run(
      `INSERT INTO job_slots (job_id, task_id, partition_no)
       SELECT j.id, t.id, j.partition_no FROM (SELECT id, partition_no, ROW_NUMBER() OVER (ORDER BY id) AS n FROM jobs WHERE id NOT IN (SELECT job_id FROM job_slots)) j
       INNER JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM tasks WHERE state = 3) t ON t.n = j.n`,
    );
  };
  const analyse = async () => {
    const { root, name } = backends().dialect;
    if (name === 'sqlite') await root.rows('ANALYZE');
    else await root.rows('ANALYZE TABLE tasks, flow_tasks, jobs, job_slots, job_backfills, attempts, task_groups, partitions');
  };

  /** What is wrong with the plan; nothing if it reads what it needs by an index and in its order. */
  const faults = async (statement: Recorded): Promise<string[]> =>
    backends().dialect.name === 'sqlite' ? sqliteFaults(statement) : mysqlFaults(statement);

  const mysqlFaults = async ({ sql, params }: Recorded): Promise<string[]> => {
    const plan = await backends().dialect.root.rows<{
      table: string | null;
      type: string | null;
      key: string | null;
      Extra: string | null;
    }>(`EXPLAIN ${sql}`, params);
    return plan.flatMap(({ table, type, Extra }) => {
      // Heads of lanes, rows handed over as JSON: bounded by the batch, whatever the table holds.
      if (table === null || table.startsWith('<') || table === 'r' || SMALL_TABLES.includes(table)) return [];
      const found: string[] = [];
      if (type === 'ALL' || type === 'index') found.push(`${table}: reads the whole ${type === 'ALL' ? 'table' : 'index'}`);
      if (/filesort/.test(Extra ?? '')) found.push(`${table}: filesort`);
      if (/temporary/i.test(Extra ?? '')) found.push(`${table}: temporary table`);
      return found;
    });
  };

  const sqliteFaults = async ({ intent, sql, params }: Recorded): Promise<string[]> => {
    const plan = await backends().dialect.root.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => {
        const scanned = /^SCAN (\S+)/.exec(detail)?.[1];
        const bounded =
          scanned === undefined ||
          [...SMALL_TABLES, 'h', 'r', 'json_each', 'CONSTANT'].includes(scanned) ||
          /^\(?(some|lane_)/.test(scanned);
        // Of a pick only the heads of the lanes are sorted.
        return !bounded || (/TEMP B-TREE/.test(detail) && intent !== 'pick');
      });
  };

  it('serve every statement from its index: no scan, no filesort, no temporary table', async () => {
    const recorded: Recorded[] = [];
    await backends()
      .dialect.transaction(async (tx) => {
        const sql = new RecordingSql(tx);
        await hotStatements(backends(), rows, sql);
        recorded.push(...sql.statements);
        throw new RolledBack();
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error;
      });
    const found: Record<string, string[]> = {};
    for (const statement of recorded) {
      if (/^\s*INSERT/i.test(statement.sql)) continue;
      const wrong = await faults(statement);
      if (wrong.length > 0) found[`${statement.intent}: ${statement.sql.slice(0, 200)}`] = wrong;
    }
    expect(recorded.length).toBeGreaterThan(30);
    expect(found).toEqual({});
  }, 120_000);

  it('serve the orders of lists from an index, whatever else is asked for', async () => {
    const { dialect } = backends();
    const jobs = new ConsoleJobStore(dialect);
    const audit = new AuditStore(dialect);
    const deliveries = new DeliveryStore();
    const sql = new RecordingSql(dialect.root);
    const id = newId('job');
    for (const way of ['ASC', 'DESC'] as const) {
      for (const groupIds of [rows.groupIds, [rows.groupIds[0] as number]])
        for (const [by, value] of [
          ['job_key', 'k'],
          ['next_fire_at', 1],
        ] as const)
          for (const past of [undefined, { value, id }])
            for (const more of [{}, { states: ['active' as const], handler: 'noop' }])
              await sql.during(`jobs by ${by}`, (on) =>
                jobs.list(on, {
                  groupIds,
                  order: { by, way },
                  past,
                  limit: 51,
                  hasNextFire: by === 'next_fire_at' || undefined,
                  ...more,
                }),
              );
      for (const by of ['id', 'actor', 'action'] as const)
        for (const before of [undefined, { id: newId('aud'), value: by === 'id' ? undefined : 'x' }])
          for (const more of [{}, { action: 'task.retried', fromId: newId('aud') }, { actorKind: 'partner' as const }])
            await sql.during(`audit by ${by}`, (on) => audit.list(on, { order: { by, way }, before, limit: 51, ...more }));
      for (const appId of [null, APP])
        await sql.during('deliveries', (on) =>
          deliveries.list(on, { appId, since: 1, before: newId('dlv'), oldestFirst: way === 'ASC', limit: 51 }),
        );
    }
    expect(sql.statements.length).toBeGreaterThan(30);
    const found: Record<string, string[]> = {};
    for (const statement of sql.statements) {
      const sorted = await sorts(statement);
      if (sorted.length > 0) found[`${statement.intent}: ${statement.sql.slice(0, 400)}`] = sorted;
    }
    expect(found).toEqual({});
  });

  /** Where its plan orders rows itself. */
  const sorts = async ({ sql, params }: Recorded): Promise<string[]> => {
    const { root, name } = backends().dialect;
    const plan = await root.rows<{ table?: string; Extra?: string | null; detail?: string }>(
      `${name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`,
      params,
    );
    return plan
      .map(({ table, Extra, detail }) => detail ?? `${table}: ${Extra}`)
      .filter((text) => /filesort|temporary|TEMP B-TREE/i.test(text));
  };

  // The counters of rows read are MariaDB's and MySQL's.
  if (adapter === 'cluster')
    it('read no more rows in a tick at fifty thousand pending tasks than at a thousand', async () => {
      const store = new GroupStore(backends().dialect);
      const { dialect } = backends();
      await store.ensure(dialect.root, 'growing', { maxRunning: 100, maxPending: 1_000_000 }, 1);
      const group = (await store.all(dialect.root)).find(({ key }) => key === 'growing') as never as {
        id: number;
        partition: number;
      };
      const mine = { ...rows, groupIds: [group.id] };
      const grown = async (by: number) => {
        await seedTasks(backends(), group, by, (i) => ({ handler: HANDLERS[i % 3] as string, priority: 1 + (i % 10) }));
        await analyse();
        return readsOf((sql) => tickStatements(backends(), mine, sql));
      };
      const [small, large] = [await grown(1_000), await grown(49_000)];
      expect(small).toBeGreaterThan(100);
      expect(large).toBeLessThan(small * 1.2);
    }, 240_000);

  if (adapter === 'cluster')
    it('read no more rows for a retry at two thousand waiting tasks of its job than at twenty', async () => {
      const job = await world.job({ schedule: { kind: 'manual' }, overlap: 'queue' });
      const store = new JobTaskStore({} as never, {} as never);
      const grown = async (by: number) => {
        const ids = Array.from({ length: by }, () => newId('task'));
        await seedTasks(backends(), { id: job.groupId, partition: job.partition }, by, (i) => ({
          id: ids[i] as string,
          state: 'BLOCKED',
        }));
        await backends().dialect.transaction((tx) =>
          store.takeSlots(
            tx,
            ids.map((taskId) => ({ jobId: job.id, taskId, partition: job.partition })),
          ),
        );
        return readsOf(async (sql) => expect(await store.taken(sql, job.id, 2)).toBe(2));
      };
      const [few, many] = [await grown(20), await grown(1_980)];
      expect(few).toBeGreaterThan(0);
      expect(many).toBeLessThanOrEqual(few);
    }, 120_000);

  const readsOf = (work: (sql: RecordingSql) => Promise<void>): Promise<number> =>
    backends().dialect.transaction(async (tx) => {
      const reads = async () => {
        const counters = await tx.rows<{ Variable_name: string; Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
        return counters.reduce((sum, { Value }) => sum + Number(Value), 0);
      };
      const before = await reads();
      const looking = (await reads()) - before;
      const from = await reads();
      await work(new RecordingSql(tx));
      return (await reads()) - from - looking;
    });
});
