import { AccessKeysService } from '../../../src/auth/access-keys.service.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import { SystemSettingsService } from '../../../src/jobs/system-settings.service.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { signedRequest } from '../../support/signed-request.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedTasks } from './support/many-tasks.js';

const HOUR = 3_600_000;
const HOURLY = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' };

describe.each(ADAPTERS)('the calendar of what was (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let partner: (method: 'POST' | 'PUT', target: string, body?: object) => ReturnType<typeof signedRequest>;
  let seeded: SeededTask[];
  const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
  const ago = (hours: number) => thisHour - hours * HOUR;
  const iso = (at: number) => new Date(at).toISOString();

  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    const app = await world.app.get(AppsService).create({ name: 'partner', defaultGroup: 'own' });
    const key = await world.app.get(AccessKeysService).create({ kind: 'partner', appId: app.id, label: 'own' });
    partner = (method, target, body) => signedRequest(world.url, key, method, `/openapi/v1/jobs${target}`, body);
    seeded = (await seedTasks(world, 66)).filter(({ group }) => group === 'own');
    await recordedSince(0);
  }, 60_000);
  afterAll(() => world?.stop());

  const run = (sql: string, params: unknown[]) => world.app.get(SqlDialect).root.run(sql, params);
  /** As an installation that was upgraded then. */
  async function recordedSince(at: number): Promise<void> {
    await run("UPDATE system_settings SET setting_json = ? WHERE setting_name = 'partner_acts_since'", [String(at)]);
    const settings = world.app.get(SystemSettingsService, { strict: false });
    await waitFor('the node knows', () => settings.partnerActsSince === at);
  }
  /** The acts on the job, oldest first, as if they had been done then; the job is as old as the first. */
  async function moved(id: string, ...then: number[]): Promise<void> {
    const { items } = (await admin.get(`/api/audit?objectId=${id}&sort=at`)).json;
    expect(items).toHaveLength(then.length);
    for (const [n, at] of then.entries()) await run('UPDATE audit_log SET logged_at = ? WHERE id = ?', [at, items[n].id]);
    await run('UPDATE jobs SET created_at = ?, updated_at = CASE WHEN version = 1 THEN ? ELSE updated_at END WHERE id = ?', [
      then[0],
      then[0],
      id,
    ]);
    await run('UPDATE job_versions SET changed_at = ? WHERE job_id = ? AND version = 1', [then[0], id]);
  }
  async function fired(id: string, hours: number, state: string, more: object = {}): Promise<void> {
    const task = seeded.splice(
      seeded.findIndex((each) => each.state === state),
      1,
    )[0] as SeededTask;
    const columns = { job_id: id, fire_at: ago(hours), shard_index: -1, backfill_key: '', created_at: ago(hours), ...more };
    const names = Object.keys(columns);
    await run(`UPDATE tasks SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`, [
      ...Object.values(columns),
      task.id,
    ]);
  }
  /** What of each fire there is to say, from so many hours ago to this hour. */
  async function told(id: string, hours: number): Promise<string[]> {
    const { jobs } = (await admin.get(`/api/calendar?from=${iso(ago(hours))}&to=${iso(thisHour)}`)).json;
    const past = jobs.find((job: { id: string }) => job.id === id)?.past ?? [];
    return Array.from({ length: hours }, (_, n) => {
      const { at: _at, ...figures } = past.find(({ at }: { at: string }) => at === iso(ago(hours - n))) ?? {};
      return Object.entries(figures)
        .filter(([, count]) => count !== 0)
        .map(([name, count]) => `${count} ${name}`)
        .join(' ');
    });
  }

  it('tells per fire what became of it, and of a partner that paused, what was missed and what is held', async () => {
    const { id } = (await partner('POST', '', { key: 'hourly', handler: 'noop', schedule: HOURLY })).body;
    await partner('POST', `/${id}/pause`, { reason: 'we move' });
    await partner('POST', `/${id}/resume`);
    await moved(id, ago(10) + 1, ago(9) + 1, ago(6) + 1);
    await fired(id, 9, 'SUCCEEDED');
    const span = JSON.stringify({ missed: 2, atLeast: false, first: iso(ago(5)), last: iso(ago(4)) });
    await fired(id, 4, 'SKIPPED', { reason: 'misfire_window', result: span });
    await fired(id, 2, 'PENDING', { created_at: ago(2) + 600_000 });
    await admin.post('/api/groups/own/hold', { reason: 'look first' });
    const facts = [
      '',
      '1 succeeded',
      '1 paused',
      '1 paused',
      '1 paused',
      '1 missed',
      '1 missed',
      '1 missed',
      '1 held',
      '1 missing',
    ];
    expect(await told(id, 10)).toEqual(facts);
    await admin.post('/api/groups/own/release');
    expect((await told(id, 10))[8]).toBe('1 unfinished');

    // Paused now: it is still in the calendar, with what was.
    await partner('POST', `/${id}/pause`);
    expect((await told(id, 10)).slice(0, 8)).toEqual(facts.slice(0, 8));
    const { jobs } = (await admin.get(`/api/calendar?from=${iso(ago(1))}&to=${iso(ago(-9))}`)).json;
    expect(jobs.find((job: { id: string }) => job.id === id)).toMatchObject({
      state: 'paused',
      fires: [],
      begins: iso(ago(10) + 1),
      ends: null,
    });
  });

  it('does not say what is not recorded: before the upgrade, or in a log that was cleared', async () => {
    const { id } = (await partner('POST', '', { key: 'older', handler: 'noop', schedule: HOURLY })).body;
    await moved(id, ago(6) + 1);
    await run('DELETE FROM audit_log WHERE object_id = ?', [id]);
    expect(await told(id, 6)).toEqual(['', ...Array(5).fill('1 missing')]);
    await recordedSince(ago(3));
    expect(await told(id, 6)).toEqual(['', '1 unknown', '1 unknown', '1 missing', '1 missing', '1 missing']);
    // Of the house's own jobs everything was always recorded.
    const own = (await admin.post('/api/jobs', { key: 'ours', group: 'own', handler: 'noop', schedule: HOURLY })).json;
    await moved(own.id, ago(6) + 1);
    expect(await told(own.id, 6)).toEqual(['', ...Array(5).fill('1 missing')]);
    await recordedSince(0);
  });

  it('expects of each time what the job was defined as then', async () => {
    const { id } = (await partner('POST', '', { key: 'edited', handler: 'noop', schedule: HOURLY })).body;
    await partner('PUT', `/${id}`, { version: 1, handler: 'noop', schedule: { ...HOURLY, expression: '30 */2 * * *' } });
    await moved(id, ago(8) + 1, ago(4) + 1);
    await run('UPDATE job_versions SET changed_at = ? WHERE job_id = ? AND version = 2', [ago(4) + 1, id]);
    await run('UPDATE jobs SET updated_at = ? WHERE id = ?', [ago(4) + 1, id]);
    const after = [4, 3, 2, 1].map((hours) => (new Date(ago(hours)).getUTCHours() % 2 === 0 ? 1 : 0));
    const [first, ...rest] = after;
    expect(await told(id, 8)).toEqual([
      '',
      '1 missing',
      '1 missing',
      '1 missing',
      `${1 + (first as number)} missing`,
      ...rest.map((count) => (count === 1 ? '1 missing' : '')),
    ]);
    await run("UPDATE job_versions SET definition_json = '{' WHERE job_id = ? AND version = 1", [id]);
    expect((await told(id, 8))[1]).toMatch(/unknown|^$/);
    expect((await told(id, 8)).slice(0, 4).join()).not.toContain('missing');
  });

  it('counts many jobs at one instant, names a few of them, leaves out what jitter spreads, and says what it cuts', async () => {
    const midnight = { kind: 'cron', expression: '0 0 * * *', timeZone: 'UTC' };
    const jobs = Array.from({ length: 40 }, (_, n) => ({
      key: `midnight-${String(n).padStart(3, '0')}`,
      group: 'other',
      handler: 'noop',
      schedule: n < 5 ? { ...midnight, jitterMs: 60_000 } : midnight,
    }));
    const file = { schema: 'evenkeel.configuration', schemaVersion: 1, groups: [], jobs };
    const imported = (await admin.post('/api/import', { fileText: JSON.stringify(file) })).json;
    expect([imported.errors, imported.counts?.create]).toEqual([[], 40]);
    const calendar = async () =>
      (await admin.get('/api/calendar?from=2027-06-01T00:00:00Z&to=2027-06-01T06:00:00Z&group=other')).json;
    expect((await calendar()).clashes).toEqual([]);
    await run("UPDATE jobs SET job_state = 'active', next_fire_at = ? WHERE job_key LIKE 'midnight-%'", [
      Date.parse('2027-01-01T00:00:00Z'),
    ]);
    const { clashes, cut, jobs: shown } = await calendar();
    expect(clashes).toMatchObject([{ at: '2027-06-01T00:00:00.000Z', jobs: 40, jittered: 5 }]);
    expect(clashes[0].first).toHaveLength(10);
    expect(clashes[0].first[0].key).toBe('midnight-000');
    expect([cut, shown.length]).toEqual([[], 40]);
    await run("UPDATE jobs SET schedule_json = ? WHERE job_key LIKE 'midnight-%'", [
      JSON.stringify({ ...midnight, expression: '* * * * * *', dst: { gap: 'first_valid', overlap: 'once' } }),
    ]);
    const dense = await calendar();
    expect([dense.cut, dense.mostFires]).toEqual([['ahead'], 50_000]);
  }, 180_000);
});
