import { type Backends, openBackends } from '../../src/backends/backends.js';
import type { JobDefinition } from '../../src/decisions/job-definition.js';
import { laneOf } from '../../src/decisions/partitioning.js';
import type { Schedule } from '../../src/decisions/schedule/schedule.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import type { Group } from '../../src/jobs/group.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { JobStore } from '../../src/jobs/job.store.js';
import { loadConfig } from '../../src/platform/config.js';
import { newId } from '../../src/platform/ids.js';
import { ClaimStore } from '../../src/tasks/claim.store.js';
import { TaskStore } from '../../src/tasks/task.store.js';
import { sleep } from '../monotonic.js';
import { median } from '../statistics.js';

/** Of groups no worker serves, so that what is put there stays as it is. */
const TICK_GROUP = 'bench-tick';
const CRON_GROUP = 'bench-cron';
/** A handler of these lanes is what a busy worker offers. */
const LANES = ['noop', 'echo', 'http'].map((handler) => laneOf(handler));
const PARTITIONS = Array.from({ length: 16 }, (_, i) => i);
const REPETITIONS = 101;
const DIGITS =
  '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
const SEED_CHUNK = 10_000;
const DELETE_CHUNK = 10_000;
const JOB_CHUNK = 500;
/** How exactly the moment is told at which a task was seen. */
const POLL_MS = 10;

export interface FiredBurst {
  /** Milliseconds from the fire's instant until its task was seen, one per job that was due. */
  late: number[];
  /** Tasks beyond one per job. */
  doubled: number;
}

/** Rows in quantity, put straight into the tables of a running centre and taken away again; and what their number costs it. */
export class Scale {
  private constructor(private readonly backends: Backends) {}

  static async open(env: NodeJS.ProcessEnv): Promise<Scale> {
    return new Scale(await openBackends(loadConfig(env), 'command'));
  }

  async close(): Promise<void> {
    await this.backends.close();
  }

  /** Milliseconds of the statements of one tick with that many pending tasks, the median of a hundred ticks. */
  async tickCost(pending: number): Promise<number> {
    const group = await this.group(TICK_GROUP);
    const { root } = this.backends.dialect;
    const [row] = await root.rows<{ n: number | string }>('SELECT COUNT(*) AS n FROM tasks WHERE group_id = ?', [group.id]);
    for (let from = Number(row?.n); from < pending; from += SEED_CHUNK) await this.seedPending(group, from);
    await root.rows('ANALYZE TABLE tasks');
    const [claims, tasks, jobs] = [
      new ClaimStore(this.backends.dialect),
      new TaskStore(this.backends.dialect),
      new JobStore(this.backends.dialect),
    ];
    const tookMs: number[] = [];
    for (let i = 0; i < REPETITIONS; i++) {
      const soon = this.backends.clock.now() + 10_000;
      const startedAt = performance.now();
      await claims.groupsWithWork(root, PARTITIONS);
      await tasks.wakingUntil(root, PARTITIONS, soon, 5_000);
      await jobs.firingUntil(root, PARTITIONS, soon, 5_000);
      await claims.pick(root, group.id, LANES, 200);
      tookMs.push(performance.now() - startedAt);
    }
    return median(tookMs);
  }

  /** Puts cron jobs there of which the first `firing` are due in the second `at` (epoch ms), the others much later. */
  async seedCronJobs(count: number, firing: number, at: number): Promise<void> {
    const group = await this.group(CRON_GROUP);
    const store = new JobStore(this.backends.dialect);
    const now = Math.floor(this.backends.clock.now());
    const due = new Date(at);
    for (let from = 0; from < count; from += JOB_CHUNK)
      await this.backends.dialect.transaction(async (tx) => {
        for (let i = from; i < Math.min(count, from + JOB_CHUNK); i++) {
          const expression =
            i < firing
              ? `${due.getUTCSeconds()} ${due.getUTCMinutes()} ${due.getUTCHours()} * * *`
              : `0 ${i % 60} ${(due.getUTCHours() + 12) % 24} * * *`;
          const next = i < firing ? at : at + 12 * 3_600_000;
          await store.insert(tx, newId('job'), jobOf(group, i), definitionOf(expression), next, now);
        }
      });
  }

  /**
   * Waits until every job that was due in that second has fired, and for a second that would show itself. A task counts as fired when
   * another connection sees it: its own `created_at` was taken before its transaction was durable.
   */
  async burst(firing: number, at: number, withinMs: number): Promise<FiredBurst> {
    const group = await this.group(CRON_GROUP);
    const { root } = this.backends.dialect;
    const late: number[] = [];
    const until = performance.now() + withinMs;
    await sleep(Math.max(0, at - this.backends.clock.now()));
    while (late.length < firing && performance.now() < until) {
      const [row] = await root.rows<{ n: number | string }>('SELECT COUNT(*) AS n FROM tasks WHERE group_id = ?', [group.id]);
      const seenAt = this.backends.clock.now() - at;
      while (late.length < Number(row?.n)) late.push(seenAt);
      await sleep(POLL_MS);
    }
    await sleep(1_000);
    const made = await root.rows<{ job_id: string }>('SELECT job_id FROM tasks WHERE group_id = ? AND fire_at = ?', [
      group.id,
      at,
    ]);
    return { late, doubled: made.length - new Set(made.map(({ job_id }) => job_id)).size };
  }

  /** Takes away what it put there. */
  async clear(): Promise<void> {
    const { root } = this.backends.dialect;
    for (const key of [TICK_GROUP, CRON_GROUP]) {
      const { id } = await this.group(key);
      await root.run('DELETE FROM job_slots WHERE job_id IN (SELECT id FROM jobs WHERE group_id = ?)', [id]);
      await root.run('DELETE FROM jobs WHERE group_id = ?', [id]);
      while ((await root.run(`DELETE FROM tasks WHERE group_id = ? LIMIT ${DELETE_CHUNK}`, [id])) > 0);
    }
  }

  private async group(key: string): Promise<Group> {
    const { dialect } = this.backends;
    const store = new GroupStore(dialect);
    await store.ensure(dialect.root, key, { maxRunning: 100, maxPending: 10_000_000 }, Math.floor(this.backends.clock.now()));
    return (await store.all(dialect.root)).find((group) => group.key === key) as Group;
  }

  private async seedPending({ id, partition }: Group, from: number): Promise<void> {
    const now = Math.floor(this.backends.clock.now());
    const n = 'a.d + 10 * b.d + 100 * c.d + 1000 * e.d';
    await this.backends.dialect.root.run(
      `INSERT INTO tasks (id, group_id, partition_no, handler, lane, state, version, priority, pick_order, scheduled_at, due_at, params, timeout_ms, attempt, retries, crashes, timeline, created_at)
       SELECT CONCAT('task_', LPAD(? + ${n}, 26, '0')), ?, ?, 'noop', CASE (${n}) % 3 WHEN 0 THEN ? WHEN 1 THEN ? ELSE ? END, ${STATE_CODE.PENDING}, 1, 5, 500000000000000 + ? + ${n}, ?, ?, '{}', 60000, 1, 0, 0, '', ?
       FROM ${DIGITS} a CROSS JOIN ${DIGITS} b CROSS JOIN ${DIGITS} c CROSS JOIN ${DIGITS} e`,
      [from, id, partition, ...LANES, now + from, now, now, now],
    );
  }
}

const jobOf = ({ id: groupId, partition }: Group, i: number) => ({
  ...{ key: `cron-${i}`, groupId, partition, appId: null, clientRequestId: null, fingerprint: null, by: 'bench' },
});

function definitionOf(expression: string): JobDefinition {
  const schedule: Schedule = { kind: 'cron', expression, timeZone: 'UTC', dst: { gap: 'first_valid', overlap: 'once' } };
  const rules = { overlap: 'skip', maxParallel: 1, misfire: 'fire_once', misfireWindowMs: 600_000, timeZone: 'UTC' } as const;
  return {
    handler: 'noop',
    params: '{}',
    schedule,
    policies: {},
    ...rules,
    metadata: null,
    callbackUrl: null,
    owner: null,
    tags: [],
    description: null,
  };
}
