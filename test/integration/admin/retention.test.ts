import { KeptKinds } from '../../../src/admin/kept/kept.js';
import { RetentionSweep } from '../../../src/admin/kept/retention-sweep.js';
import { MINUTE, TEN_MINUTES } from '../../../src/admin/rollups/rollup.js';
import { AuditService } from '../../../src/auth/audit.service.js';
import { OldDeliveries } from '../../../src/callbacks/old-deliveries.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import type { Group } from '../../../src/jobs/group.js';
import { GroupsService } from '../../../src/jobs/groups.service.js';
import { Clock } from '../../../src/platform/clock.js';
import { insertRows } from '../../../src/platform/database/insert-rows.js';
import { newId } from '../../../src/platform/ids.js';
import { Lease, SqlDialect } from '../../../src/ports.js';
import { OldTasks } from '../../../src/tasks/old-tasks.js';
import { seedTasks } from '../../support/seeded-tasks.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';

const DAY = 86_400_000;
const BELONGINGS = ['attempts', 'attempt_logs', 'attempt_log_chunks', 'task_checkpoints', 'webhook_events', 'webhook_deliveries'];

describe.each(ADAPTERS)('what is older than it is kept (%s)', (adapter) => {
  let world: ConsoleWorld;
  let group: Group;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    group = world.app.get(GroupsService).byKey('own') as Group;
  }, 60_000);
  afterAll(() => world?.stop());

  const of = <T>(type: new (...args: never[]) => T): T => world.app.get(type as never, { strict: false });
  const dialect = () => world.app.get(SqlDialect);
  const root = () => dialect().root;
  /** The sweep of a node whose clock is so many days ahead. */
  const sweepIn = (days: number, kinds = of(KeptKinds)) => {
    const clock = { now: () => Date.now() + days * DAY, monotonic: () => performance.now() } as Clock;
    return new RetentionSweep(kinds, world.app.get(Lease), clock);
  };
  const sweptIn = async (days: number) => (await sweepIn(days).round()).removed;
  const ids = async (table: string, column: string): Promise<string[]> =>
    (await root().rows<{ id: string }>(`SELECT DISTINCT ${column} AS id FROM ${table} WHERE ${column} IS NOT NULL`)).map(
      ({ id }) => id,
    );
  const tasks = () => ids('tasks', 'id');
  const seeded = async (count: number, state: 'SKIPPED' | 'SCHEDULED', more: object = {}): Promise<string[]> => {
    const own = Array.from({ length: count }, () => newId('task'));
    const backends = { dialect: dialect(), clock: world.app.get(Clock) } as never;
    await seedTasks(backends, group, count, (i) => ({
      id: own[i] as string,
      state,
      dueAt: Date.now() + 400 * DAY,
      appId: null as never,
      ...more,
    }));
    return own;
  };
  const ended = async (count: number, state: keyof typeof STATE_CODE = 'SUCCEEDED'): Promise<string[]> => {
    const own = await seeded(count, 'SKIPPED');
    for (const id of own)
      await root().run('UPDATE tasks SET state = ?, ended_at = ? WHERE id = ?', [STATE_CODE[state], Date.now(), id]);
    return own;
  };
  const insert = (into: string, ...rows: unknown[][]) => insertRows(root(), into, rows);
  const withBelongings = async (taskId: string, pendingSend = false) => {
    const [event, delivery] = [newId('evt'), newId('dlv')];
    await insert('attempts (task_id, attempt, lease, worker_id, worker_incarnation, outcome)', [
      taskId,
      1,
      2,
      'w',
      'i',
      'failed',
    ]);
    await insert('attempt_logs (task_id, attempt, lease, worker_id, last_seq, kept_bytes, is_full)', [
      taskId,
      1,
      2,
      'w',
      1,
      9,
      0,
    ]);
    await insert('attempt_log_chunks (task_id, attempt, first_seq, last_seq, lines_json, created_at)', [
      taskId,
      1,
      1,
      1,
      '[]',
      Date.now(),
    ]);
    await insert('task_checkpoints (task_id, checkpoint_json, saved_at)', [taskId, '{}', Date.now()]);
    await insert('webhook_events (id, app_id, task_id, seq, event_type, body, occurred_at)', [
      event,
      1,
      taskId,
      3,
      'task.failed',
      '{}',
      1,
    ]);
    await insert('webhook_deliveries (id, event_id, app_id, task_id, url, delivery_state, attempts, created_at)', [
      ...[delivery, event, 1, taskId, 'https://nowhere.invalid/', pendingSend ? 'PENDING' : 'SUCCEEDED', 1, 1],
    ]);
    await insert('webhook_attempts (delivery_id, attempt_no, attempt_trigger, started_at, duration_ms)', [
      delivery,
      1,
      'auto',
      1,
      1,
    ]);
    if (pendingSend)
      await insert('webhook_sends (id, delivery_id, target, send_trigger, due_at, failures, blocks, created_at)', [
        ...[newId('snd'), delivery, 'nowhere.invalid', 'auto', Date.now() + 400 * DAY, 0, 0, 1],
      ]);
    return delivery;
  };

  it('goes with all that belongs to it, once it has been ended for so long; what has not ended stays', async () => {
    const old = [...(await ended(3, 'SUCCEEDED')), ...(await ended(3, 'FAILED')), ...(await ended(2, 'CANCELLED'))];
    const waiting = await seeded(3, 'SCHEDULED');
    const deliveries: string[] = [];
    for (const id of [old[0], old[4], waiting[0]] as string[]) deliveries.push(await withBelongings(id));
    expect((await sweptIn(29)).tasks).toBeUndefined();
    expect(await tasks()).toEqual(expect.arrayContaining(old));
    expect(await sweptIn(31)).toMatchObject({ tasks: old.length });
    const left = await tasks();
    expect(left).toEqual(expect.arrayContaining(waiting));
    expect(left.filter((id) => old.includes(id))).toEqual([]);
    for (const table of BELONGINGS.filter((table) => table !== 'attempt_log_chunks'))
      expect([table, await ids(table, 'task_id')]).toEqual([table, [waiting[0]]]);
    expect(await ids('webhook_attempts', 'delivery_id')).toEqual([deliveries[2]]);
    await root().run('DELETE FROM webhook_events');
    await root().run('DELETE FROM webhook_deliveries');
  });

  it('stays as long as an attempt of it runs, a callback is to be sent, or the task it is a shard of is there', async () => {
    const [runs, tells, parent, ...shards] = await ended(6);
    await insert(
      'unstopped_attempts (task_id, whole_id, group_id, partition_no, lease, worker_id, worker_incarnation, ended_at)',
      [runs, runs, group.id, 99, 1, 'w', 'i', 1],
    );
    await withBelongings(tells as string, true);
    for (const [i, id] of shards.entries())
      await root().run('UPDATE tasks SET parent_id = ?, shard_index = ? WHERE id = ?', [parent, i, id]);
    await root().run('UPDATE tasks SET ended_at = ? WHERE id = ?', [Date.now() + 5 * DAY, parent]);
    await sweptIn(31);
    expect(await tasks()).toEqual(expect.arrayContaining([runs, tells, parent, ...shards]));
    await root().run('DELETE FROM unstopped_attempts');
    await root().run('DELETE FROM webhook_sends');
    await root().run('UPDATE tasks SET ended_at = ? WHERE id = ?', [Date.now(), parent]);
    await sweptIn(31);
    await sweptIn(31);
    const left = await tasks();
    for (const id of [runs, tells, parent, ...shards]) expect(left).not.toContain(id);
  });

  it('is the rest for the next pass when one is broken off, and nothing is half there', async () => {
    const old = await ended(450, 'SKIPPED');
    for (const id of [old[0], old[100], old[300]] as string[]) await withBelongings(id);
    const broken = of(OldTasks).remove(Date.now() + DAY);
    let removed = 0;
    while (removed === 0) removed = (await broken.next()).value as number;
    await broken.return(undefined);
    expect(removed).toBe(200);
    const left = new Set(await tasks());
    for (const table of BELONGINGS) for (const id of await ids(table, 'task_id')) expect(left).toContain(id);
    expect((await sweptIn(31)).tasks).toBe(250);
  });

  it('is logs, events, tests of endpoints and the audit log by their own ages', async () => {
    const [task] = (await ended(1)) as [string];
    await withBelongings(task);
    await insert('app_events (id, app_id, client_request_id, request_fp, event_name, task_ids_json, created_at)', [
      ...[newId('evt'), 1, 'r1', 'f', 'paid', '[]', Date.now()],
    ]);
    const [event, delivery] = [newId('evt'), newId('dlv')];
    await insert('webhook_events (id, app_id, event_type, body, occurred_at)', [event, 1, 'webhook.ping', '{}', 1]);
    await insert('webhook_deliveries (id, event_id, app_id, url, delivery_state, attempts, created_at)', [
      ...[delivery, event, 1, 'https://nowhere.invalid/', 'EXHAUSTED', 1, 1],
    ]);
    expect(await sweptIn(8)).toEqual({ logs: expect.any(Number) });
    expect(await ids('attempt_log_chunks', 'task_id')).toEqual([]);
    expect(await ids('attempt_logs', 'task_id')).toContain(task);
    await sweptIn(31);
    expect(await tasks()).not.toContain(task);
    expect([
      ...(await ids('app_events', 'id')),
      ...(await ids('webhook_deliveries', 'id')),
      ...(await ids('webhook_events', 'id')),
    ]).toEqual([]);
    const audit = of(AuditService);
    for (let n = 0; n < 3; n++) await audit.note({ actor: 'system', action: 'test.made', object: { type: 'test', id: `${n}` } });
    const entries = await ids('audit_log', 'id');
    await sweptIn(364);
    expect(await ids('audit_log', 'id')).toEqual(expect.arrayContaining(entries));
    expect((await sweptIn(366)).audit).toBeGreaterThanOrEqual(entries.length);
    expect(await ids('audit_log', 'id')).toEqual([]);
  });

  it('is what deleted jobs leave of their creation, as long as tasks are kept', async () => {
    const gone = newId('job');
    await insert('deleted_jobs (id, app_id, client_request_id, request_fp, deleted_at)', [gone, 1, 'r1', 'f', Date.now()]);
    await sweptIn(29);
    expect(await ids('deleted_jobs', 'id')).toEqual([gone]);
    expect(await sweptIn(31)).toMatchObject({ tasks: expect.any(Number) });
    expect(await ids('deleted_jobs', 'id')).toEqual([]);
  });

  it('is figures that no chart looks back to, in statements of bounded size', async () => {
    const at = (daysAgo: number, span: number, i = 0) => Math.floor((Date.now() - daysAgo * DAY) / span) * span - i * span;
    const into = 'task_rollups (span_ms, begins_at, group_id, writer, figures_json)';
    const minutes = Array.from({ length: 1_100 }, (_, i) => [MINUTE, at(9, MINUTE, i >> 1), group.id, `w${i % 2}`, '{}']);
    await insert(into, ...minutes, [MINUTE, at(7, MINUTE), group.id, 'w', '{}']);
    await insert(
      into,
      [TEN_MINUTES, at(9, TEN_MINUTES), group.id, 'w', '{}'],
      [TEN_MINUTES, at(91, TEN_MINUTES), group.id, 'w', '{}'],
    );
    const hours = 'endpoint_rollups (endpoint_id, begins_at, writer, figures_json)';
    const [one, other] = [newId('wep'), newId('wep')];
    await insert(hours, ...Array.from({ length: 600 }, (_, i) => [one, at(91, 3_600_000, i), 'w', '{}']), [
      one,
      at(1, 3_600_000),
      'w',
      '{}',
    ]);
    await insert(hours, [other, at(92, 3_600_000), 'w', '{}']);
    const figures = of(KeptKinds)
      .all()
      .find(({ kind }) => kind === 'figures');
    const removed: number[] = [];
    for await (const count of figures?.remove(Date.now()) ?? []) removed.push(count);
    expect(Math.max(...removed)).toBeLessThanOrEqual(500);
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(1_100 + 1 + 601);
    const left = await root().rows<{ span_ms: number; n: number | string }>(
      "SELECT span_ms, COUNT(*) AS n FROM task_rollups WHERE writer = 'w' GROUP BY span_ms ORDER BY span_ms",
    );
    expect(left.map((row) => [Number(row.span_ms), Number(row.n)])).toEqual([
      [MINUTE, 1],
      [TEN_MINUTES, 1],
    ]);
    expect(await ids('endpoint_rollups', 'endpoint_id')).toEqual([one]);
  });

  it('is left alone where it is kept for ever, and by all nodes but the one that is at it', async () => {
    const [task] = (await ended(1)) as [string];
    const forEver = { retention: { tasksMs: 0, logsMs: 0, auditMs: 0, figuresMs: 0 } };
    const kinds = new KeptKinds(
      dialect(),
      forEver as never,
      of(OldTasks),
      of(OldDeliveries),
      of(AuditService),
      {} as never,
      {} as never,
      {} as never,
      {} as never,
      {} as never,
      {} as never,
    );
    expect((await sweepIn(4_000, kinds).round()).removed).toEqual({});
    const held = await world.app.get(Lease).acquire('retention', 60_000);
    expect(await sweptIn(31)).toEqual({});
    expect(await tasks()).toContain(task);
    await held?.release();
    expect(await sweptIn(31)).toMatchObject({ tasks: 1 });
  });

  it('are circuits of callbacks: those that nothing has needed for as long, and where nothing waits', async () => {
    const circuits = () => ids('callback_targets', 'target');
    const failed = ['1|idle.partner.com:443', '1|waits.partner.com:443'];
    for (const target of failed)
      await root().run("INSERT INTO callback_targets (target, health_json, changed_at) VALUES (?, '{}', ?)", [
        target,
        Date.now(),
      ]);
    await insertRows(
      root(),
      'webhook_sends (id, delivery_id, target, send_trigger, due_at, failures, blocks, created_at)',
      [[newId('snd'), newId('dlv'), failed[1], 'auto', Date.now() + 400 * DAY, 1, 0, Date.now()]],
      1,
    );
    await sweptIn(29);
    expect((await circuits()).sort()).toEqual(failed);
    await sweptIn(31);
    expect(await circuits()).toEqual([failed[1]]);
  });

  it('are turns of challenges that hold nobody up any more', async () => {
    for (const [n, nextAt] of [Date.now(), Date.now() + 10 * DAY].entries())
      await root().run('INSERT INTO webhook_challenges (target_hash, next_at) VALUES (?, ?)', [`${n}`, nextAt]);
    await sweptIn(29);
    expect((await ids('webhook_challenges', 'target_hash')).sort()).toEqual(['0', '1']);
    await sweptIn(31);
    expect(await ids('webhook_challenges', 'target_hash')).toEqual(['1']);
  });

  it('is told in the settings, with how far back it goes', async () => {
    const admin = await world.signIn();
    const { retention } = (await admin.get('/api/settings')).json;
    expect(retention.map(({ kind, keptMs }: { kind: string; keptMs: number }) => [kind, keptMs / DAY])).toEqual([
      ['tasks', 30],
      ['logs', 7],
      ['audit', 365],
      ['figures', 90],
    ]);
    expect(Date.parse(retention[2].oldestAt)).toBeGreaterThan(Date.now() - DAY);
    expect(retention[1].oldestAt).toBeNull();
  });
});
