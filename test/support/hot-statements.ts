import { TaskSearchStore } from '../../src/admin/tasks/task-search.store.js';
import type { Backends } from '../../src/backends/backends.js';
import { laneOf } from '../../src/decisions/partitioning.js';
import { PartitionStore } from '../../src/dispatch/partition.store.js';
import { GroupStore } from '../../src/jobs/group.store.js';
import { JobStore } from '../../src/jobs/job.store.js';
import { JobBackfillStore } from '../../src/jobs/job-backfill.store.js';
import { firstIdAt } from '../../src/platform/ids.js';
import { advance } from '../../src/tasks/advance.js';
import { AttemptStore } from '../../src/tasks/attempt.store.js';
import { ClaimStore } from '../../src/tasks/claim.store.js';
import { JobTaskStore } from '../../src/tasks/job-task.store.js';
import { NewTaskStore } from '../../src/tasks/new-task.store.js';
import { PeriodStore } from '../../src/tasks/period.store.js';
import { TaskStore } from '../../src/tasks/task.store.js';
import { UnfinishedTasksStore } from '../../src/tasks/unfinished-tasks.store.js';
import type { RecordingSql } from './recording-sql.js';

const PARTITIONS = [0, 1, 2, 3, 4, 5, 6, 7];

/** What of the seeded tables the statements are run on. */
export interface HotRows {
  groupIds: number[];
  handlers: string[];
  pending: string[];
  jobIds: string[];
  taskOfJob: string;
  app: { id: number; requestIds: string[] };
  /** A task with shards, and a flow of many tasks. */
  parent: string;
  flow: string;
}

/** The statements of a tick: their cost must not grow with what waits. */
export async function tickStatements({ dialect, clock }: Backends, rows: HotRows, sql: RecordingSql): Promise<void> {
  const claims = new ClaimStore(dialect);
  const soon = clock.now() + 10_000;
  await sql.during('groups with work', (on) => claims.groupsWithWork(on, PARTITIONS));
  await sql.during('what wakes soon', (on) => new TaskStore(dialect).wakingUntil(on, PARTITIONS, soon, 5_000));
  await sql.during('what fires soon', (on) => new JobStore(dialect).firingUntil(on, PARTITIONS, soon, 5_000));
  for (const groupId of rows.groupIds)
    await sql.during('pick', (on) =>
      claims.pick(
        on,
        groupId,
        rows.handlers.map((handler) => laneOf(handler)),
        200,
      ),
    );
  await sql.during('in flight of groups', (on) => claims.countInFlight(on, rows.groupIds));
  await sql.during('running backfills', (on) => new JobBackfillStore(dialect).running(on, PARTITIONS));
}

/** Every statement that runs per task, per message of a worker or in a loop. */
export async function hotStatements(backends: Backends, rows: HotRows, sql: RecordingSql): Promise<void> {
  const { dialect, clock } = backends;
  const [tasks, claims, attempts] = [new TaskStore(dialect), new ClaimStore(dialect), new AttemptStore()];
  const [jobs, jobTasks] = [
    new JobStore(dialect),
    new JobTaskStore(new NewTaskStore({ ensure: async () => {} } as never, { record: async () => {} } as never), {
      byId: () => undefined,
    } as never),
  ];
  const [partitions, groups, unfinished] = [new PartitionStore(dialect), new GroupStore(dialect), new UnfinishedTasksStore()];
  const now = Math.round(clock.now());
  await tickStatements(backends, rows, sql);

  await sql.during('lock tasks', (on) => tasks.lock(on, rows.pending));
  const locked = await tasks.lock(sql, rows.pending.slice(0, 50));
  const step = { seq: 2, from: 'PENDING', to: 'DISPATCHED', at: now, actor: 'node:n1', worker: 'w1', attempt: 1 } as const;
  await sql.during('claim', (on) =>
    claims.claim(
      on,
      locked.map(({ id, version }) => ({ id, version, workerId: 'w1', incarnation: 'I1', step })),
      now,
    ),
  );
  await sql.during('orders to send again', (on) => claims.dispatched(on, rows.pending));
  const claimed = await tasks.lock(
    sql,
    locked.map(({ id }) => id),
  );
  const running = claimed.map((before) => ({
    before,
    after: { ...(advance(before, 'accepted', { at: now, actor: 'x' }) ?? before), startedAt: now },
  }));
  await sql.during('settle', (on) => tasks.save(on, running));
  const moved = running.map(({ after }) => ({
    before: after,
    after: { ...(advance(after, 'attempt_failed', { at: now, actor: 'x' }) ?? after), dueAt: now + 1 },
  }));
  await sql.during('move', (on) => tasks.save(on, moved));
  await sql.during('attempts of a task', (on) => attempts.attemptsOf(on, rows.pending[0] as string));
  await sql.during('in flight of groups', (on) => claims.inFlight(on, rows.groupIds));
  await sql.during('states of tasks', (on) => tasks.statesOf(on, rows.pending));
  await sql.during('known requests', (on) => tasks.withRequestIds(on, rows.app.id, rows.app.requestIds));
  await sql.during('a page of tasks', (on) => tasks.list(on, { appId: rows.app.id, limit: 50 }, null, null));
  const searches = new TaskSearchStore(dialect);
  for (const before of [undefined, rows.pending[0] as string]) {
    const page = { appId: rows.app.id, limit: 50, before };
    await sql.during('shards of a task', (on) => tasks.list(on, { ...page, parentId: rows.parent }, null, null));
    await sql.during('tasks of a flow', (on) => tasks.list(on, { ...page, flowId: rows.flow }, null, null));
    for (const search of [{ parentId: rows.parent }, { flowId: rows.flow }]) {
      const { sql: text, params } = searches.stretch({ ...search, groupIds: null, fromId: firstIdAt('task', 1) }, before);
      await sql.during(`${Object.keys(search)} in the console`, (on) => on.rows(text, params));
    }
  }
  await sql.during('one task', (on) => tasks.find(on, rows.pending[0] as string));

  await sql.during('lock jobs', (on) => jobs.lock(on, rows.jobIds));
  await sql.during('move jobs on', (on) =>
    jobs.advance(
      on,
      rows.jobIds.map((id) => ({ id, from: 1, next: 2, lastFireAt: 1 })),
    ),
  );
  await sql.during('places taken of a job', (on) => jobTasks.taken(on, rows.jobIds[0] as string, 1));
  await sql.during('what is going of jobs', (on) => jobTasks.occupation(on, rows.jobIds));
  await sql.during('what goes before a newer task', (on) => jobTasks.occupants(on, rows.jobIds));
  const periods = new PeriodStore(dialect);
  const period = { upstreamId: rows.jobIds[0] as string, afterAt: 1, untilAt: 3_000_000_000_000 };
  await periods.add(sql, [{ taskId: rows.taskOfJob, ...period }]);
  await sql.during('what a fire waits for', (on) => periods.facts(on, [rows.taskOfJob]));
  await sql.during('fires that have a task', (on) => jobTasks.firesOf(on, rows.jobIds[0] as string, [1, 2, 3]));
  await sql.during('give places back', (on) => jobTasks.dropSlots(on, [rows.taskOfJob]));
  await sql.during('stranded jobs', (on) => jobs.strandedAfter(on, PARTITIONS));
  await sql.during('jobs of an app', (on) => jobs.list(on, { appId: rows.app.id, limit: 50 }));

  await sql.during('pending of groups', (on) =>
    groups.countPending(
      on,
      rows.groupIds.map((id) => ({ id, limit: 1_000_000 })),
    ),
  );
  await sql.during('unfinished of groups', (on) => unfinished.countOf(on, rows.groupIds, 100_000));
  await sql.during('lock a partition', (on) => partitions.lock(on, 3));
  await sql.during('renew partitions', (on) => partitions.renew(on, 'n1', PARTITIONS, 10_000));
}
