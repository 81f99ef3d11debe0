import { MINUTE } from '../../../src/admin/rollups/rollup.js';
import { RollupWriter } from '../../../src/admin/rollups/rollup-writer.js';
import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import { Clock } from '../../../src/platform/clock.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedTasks } from './support/many-tasks.js';

describe.each(ADAPTERS)('the overview of the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let seeded: SeededTask[];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    seeded = await seedTasks(world, 66);
    for (const [key, everyMs] of [
      ['dense', 60_000],
      ['hourly', 3_600_000],
    ] as const)
      await admin.post('/api/jobs', { key, group: 'own', handler: 'noop', schedule: { kind: 'every', everyMs } });
  }, 60_000);
  afterAll(() => world?.stop());

  it('counts in each tile what its list counts', async () => {
    const { tiles, attention, firstSteps, groups } = (await admin.get('/api/overview')).json;
    for (const name of ['late', 'failedLastHour', 'running', 'waiting']) {
      const { total } = (await admin.get(`/api/tasks/counts?${tiles[name].query}`)).json;
      expect([name, tiles[name].count]).toEqual([name, total.count]);
    }
    const count = (...states: string[]) => seeded.filter(({ state }) => states.includes(state)).length;
    expect(tiles.failedLastHour.count).toBe(count('FAILED', 'TIMED_OUT'));
    expect(tiles.running.count).toBe(count('RUNNING', 'DISPATCHED'));
    expect((await admin.get(`/api/jobs?${tiles.dueSoon.query}`)).json.items).toHaveLength(tiles.dueSoon.count);
    expect(firstSteps).toEqual({ group: true, worker: false, job: true, task: true });
    expect(attention.map(({ kind }: { kind: string }) => kind)).toContain('group_without_worker');
    expect(groups.map(({ key }: { key: string }) => key).sort()).toEqual(['other', 'own']);
  });

  it('tells of late tasks and of jobs that fail or do not fire, with the numbers of the lists they lead to', async () => {
    const made = (await admin.post('/api/jobs', { key: 'failing', group: 'own', handler: 'noop', schedule: { kind: 'manual' } }))
      .json;
    await admin.post(`/api/jobs/${made.id}/trigger`);
    const told = async (kind: string, query = '') =>
      (await admin.get(`/api/overview${query}`)).json.attention.find((each: { kind: string }) => each.kind === kind);
    expect(await told('jobs_failing')).toBeUndefined();
    const { root } = world.app.get(SqlDialect);
    await root.run('UPDATE tasks SET state = ?, ended_at = ? WHERE job_id = ?', [STATE_CODE.FAILED, Date.now(), made.id]);
    const failing = await told('jobs_failing');
    expect(failing).toMatchObject({ object: { type: 'jobs' }, list: { count: 1, capped: false, query: 'view=failing' } });
    expect((await admin.get(`/api/jobs?${failing.list.query}`)).json.items).toMatchObject([{ key: 'failing' }]);
    expect((await told('jobs_failing', '?group=own')).list).toEqual({ count: 1, capped: false, query: 'view=failing&group=own' });
    expect(await told('jobs_failing', '?group=other')).toBeUndefined();
    const other = await world.person(`other-${adapter}`, 'none', { other: 'viewer' });
    const theirs = (await other.get('/api/overview')).json.attention.map(({ kind }: { kind: string }) => kind);
    expect(theirs).not.toContain('jobs_failing');

    await root.run('UPDATE tasks SET due_at = ?', [Date.now() - 60_000]);
    const late = await told('tasks_late');
    expect(late.list.count).toBeGreaterThan(0);
    expect((await admin.get(`/api/tasks/counts?${late.list.query}`)).json.total.count).toBe(late.list.count);

    const idle = (await admin.post('/api/jobs', { key: 'unfired', group: 'own', handler: 'noop', schedule: { kind: 'manual' } }))
      .json;
    // No node plans that partition, so nothing fires it meanwhile.
    await root.run('UPDATE jobs SET next_fire_at = ?, partition_no = 120 WHERE id = ?', [Date.now() - 60_000, idle.id]);
    const unfired = await told('jobs_late');
    expect((await admin.get(`/api/jobs?${unfired.list.query}`)).json.items).toHaveLength(unfired.list.count);
    expect(unfired.list.count).toBe(1);
    await root.run('DELETE FROM jobs WHERE id = ?', [idle.id]);
  });

  it('counts in its charts what was skipped as it was made', async () => {
    const job = async (key: string, schedule: object) =>
      (await admin.post('/api/jobs', { key, group: 'own', handler: 'noop', overlap: 'skip', schedule })).json.id as string;
    const counted = async () => {
      await world.app.get(RollupWriter, { strict: false }).flush();
      const { buckets } = (await admin.get('/api/overview/charts?range=6h')).json;
      return buckets.reduce((sum: number, { skipped }: { skipped: number }) => sum + skipped, 0) as number;
    };
    const skippedOf = async (id: string) => (await admin.get(`/api/tasks/counts?job=${id}`)).json.states.SKIPPED as number;
    const before = await counted();
    const manual = await job('at-hand', { kind: 'manual' });
    for (let n = 0; n < 3; n++) await admin.post(`/api/jobs/${manual}/trigger`);
    expect(await skippedOf(manual)).toBe(2);
    expect((await counted()) - before).toBe(2);
    const ticking = await job('ticking', { kind: 'every', everyMs: 1_000 });
    await waitFor('fires are skipped', async () => (await skippedOf(ticking)) >= 2);
    await admin.post(`/api/jobs/${ticking}/pause`);
    await waitFor('all are counted', async () => (await counted()) - before === 2 + (await skippedOf(ticking)));
  });

  it('has no backlog and none running of a minute without a sample, and nothing of an idle one that was sampled', async () => {
    await admin.post('/api/groups', { key: 'quiet' });
    const job = (await admin.post('/api/jobs', { key: 'ended', group: 'quiet', handler: 'noop', schedule: { kind: 'manual' } }))
      .json;
    const clock = world.app.get(Clock);
    const now = clock.now.bind(clock);
    let sinceStart = clock.monotonic();
    let ahead = 4 * MINUTE - (now() % MINUTE);
    const spies = [
      jest.spyOn(clock, 'now').mockImplementation(() => now() + ahead),
      jest.spyOn(clock, 'monotonic').mockImplementation(() => sinceStart),
    ];
    /** The figures of the minute it is after one task more has ended in it and they were written. */
    const afterAnEnd = async () => {
      const { taskId } = (await admin.post(`/api/jobs/${job.id}/trigger`)).json;
      expect((await admin.post(`/api/tasks/${taskId}/cancel`)).status).toBe(200);
      return written();
    };
    const written = async () => {
      await world.app.get(RollupWriter, { strict: false }).flush();
      const { buckets } = (await admin.get('/api/overview/charts?range=1h&group=quiet')).json;
      const { cancelled, backlog, running } = buckets.at(-1);
      return { cancelled, backlog, running };
    };
    try {
      sinceStart += MINUTE;
      await world.app.get(RollupWriter, { strict: false }).flush();
      expect(await afterAnEnd()).toEqual({ cancelled: 1, backlog: 0, running: 0 });
      ahead += MINUTE;
      expect(await afterAnEnd()).toEqual({ cancelled: 1, backlog: null, running: null });
      sinceStart += MINUTE;
      expect(await written()).toEqual({ cancelled: 1, backlog: 0, running: 0 });
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it('condenses in the calendar what fires often', async () => {
    const from = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000);
    const to = new Date(from.getTime() + 24 * 3_600_000);
    const calendar = (await admin.get(`/api/calendar?from=${from.toISOString()}&to=${to.toISOString()}`)).json;
    const of = (key: string) => calendar.jobs.find((job: { key: string }) => job.key === key);
    expect(of('hourly').fires).toHaveLength(24);
    expect(of('dense').fires).toBeNull();
    for (const { count } of of('dense').hours.slice(1, -1)) expect(count).toBe(60);
    expect((await admin.get('/api/calendar?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z')).json.errors[0].pointer).toBe(
      '/query/to',
    );
  });

  it('tells in the calendar what became of fires, and which have no task', async () => {
    const { root } = world.app.get(SqlDialect);
    const made = await admin.post('/api/jobs', {
      key: 'kept-time',
      group: 'own',
      handler: 'noop',
      schedule: { kind: 'cron', expression: '0 * * * *', timeZone: 'America/New_York' },
    });
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const fires = [5, 4, 3, 2].map((ago) => hour - ago * 3_600_000);
    const since = (fires[0] as number) - 1_000;
    await root.run('UPDATE jobs SET created_at = ?, updated_at = ? WHERE id = ?', [since, since, made.json.id]);
    await root.run('UPDATE audit_log SET logged_at = ? WHERE object_id = ?', [since, made.json.id]);
    for (const [n, state] of [STATE_CODE.SUCCEEDED, STATE_CODE.FAILED].entries())
      await root.run("UPDATE tasks SET job_id = ?, fire_at = ?, shard_index = -1, backfill_key = '', state = ? WHERE id = ?", [
        made.json.id,
        fires[n],
        state,
        seeded[n]?.id,
      ]);
    const at = (ms: number) => new Date(ms).toISOString();
    const calendar = async (to = hour - 3_600_000) =>
      (await admin.get(`/api/calendar?from=${at(fires[0] as number)}&to=${at(to)}`)).json;
    const past = async () => (await calendar()).jobs.find(({ key }: { key: string }) => key === 'kept-time').past;
    expect(await past()).toMatchObject([
      { at: at(fires[0] as number), succeeded: 1, failed: 0, missing: 0 },
      { at: at(fires[1] as number), succeeded: 0, failed: 1, missing: 0 },
      { missing: 1 },
      { missing: 1 },
    ]);
    const spring = (await admin.get('/api/calendar?from=2027-03-14T00:00:00Z&to=2027-03-15T00:00:00Z')).json;
    expect(spring.clockChanges).toEqual([{ timeZone: 'America/New_York', at: '2027-03-14T07:00:00.000Z', minutes: 60 }]);
    expect(spring.clashes).toEqual([]);
    for (let n = 0; n < 10; n++)
      await admin.post('/api/jobs', {
        key: `midnight-${n}`,
        group: 'own',
        handler: 'noop',
        schedule: { kind: 'cron', expression: '0 0 * * *', timeZone: 'UTC' },
      });
    const later = (await admin.get('/api/calendar?from=2027-06-01T00:00:00Z&to=2027-06-01T06:00:00Z')).json;
    expect(later.clashes).toMatchObject([{ at: '2027-06-01T00:00:00.000Z', jobs: expect.any(Number), jittered: 0 }]);
    expect(later.clashes[0].first).toHaveLength(10);
    expect(later.cut).toEqual([]);
    expect(later.clashes[0].jobs).toBeGreaterThanOrEqual(10);
    expect(later.jobs.every(({ past }: { past: unknown }) => past === null)).toBe(true);
  });

  it('finds by id, key, request id and name', async () => {
    const { id } = seeded[0] as SeededTask;
    const hits = async (q: string) => (await admin.get(`/api/search?q=${encodeURIComponent(q)}`)).json.hits;
    expect(await hits(id)).toMatchObject([{ type: 'task', id }]);
    expect(await hits('HOURLY')).toMatchObject([{ type: 'job', name: 'hourly' }]);
    const { clientRequestId } = (await admin.get(`/api/tasks/${id}`)).json;
    expect((await hits(clientRequestId))[0]).toMatchObject({ type: 'task', id });
    expect((await hits('seeder'))[0]).toMatchObject({ type: 'app', name: 'seeder' });
    expect(await hits('%')).toEqual([]);
  });

  it('offers on what it finds only what the caller may do there', async () => {
    const some = await world.person('some', 'viewer', { own: 'operator' });
    const found = async (browser: Browser, q: string) => (await browser.get(`/api/search?q=${encodeURIComponent(q)}`)).json.hits;
    expect((await found(admin, 'hourly'))[0].permissions).toEqual(['jobs.run', 'jobs.pause']);
    expect((await found(some, 'hourly'))[0].permissions).toEqual(['jobs.run', 'jobs.pause']);
    const of = (group: string, state: string) =>
      seeded.find((task) => task.group === group && task.state === state) as SeededTask;
    const rights = async (group: string, state: string) => (await found(some, of(group, state).id))[0].permissions;
    expect(await rights('own', 'SCHEDULED')).toEqual(['tasks.cancel']);
    expect(await rights('own', 'SUCCEEDED')).toEqual([]);
    expect(await rights('other', 'SCHEDULED')).toEqual([]);
    const owner = await world.person('owner', 'none', { own: 'viewer' });
    expect(await found(owner, of('other', 'SCHEDULED').id)).toEqual([]);
  });
});

describe('the charts of two nodes', () => {
  let first: ConsoleWorld;
  let second: ConsoleWorld;
  beforeAll(async () => {
    first = await ConsoleWorld.start('cluster');
    second = await first.another({ NODE_ID: 'n2' });
  }, 60_000);
  afterAll(async () => {
    await second?.stop();
    await first?.stop();
  });

  it('count what ended on either, on both, with the same numbers', async () => {
    const seeded = await seedTasks(first, 40);
    const waiting = seeded.filter(({ state }) => state === 'SCHEDULED' || state === 'BLOCKED' || state === 'RETRYING');
    expect(waiting.length).toBeGreaterThan(4);
    const browsers = [await first.signIn(), await second.signIn()];
    for (const [n, { id }] of waiting.entries())
      expect((await (browsers[n % 2] as Browser).post(`/api/tasks/${id}/cancel`)).status).toBe(200);
    for (const world of [first, second]) await world.app.get(RollupWriter, { strict: false }).flush();
    for (const range of ['1h', '24h']) {
      const [one, other] = await Promise.all(
        browsers.map(async (browser) => (await browser.get(`/api/overview/charts?range=${range}`)).json.buckets),
      );
      const cancelled = one.reduce((sum: number, bucket: { cancelled: number }) => sum + bucket.cancelled, 0);
      expect([range, cancelled]).toEqual([range, waiting.length]);
      expect(other).toEqual(one);
    }
  });
});
