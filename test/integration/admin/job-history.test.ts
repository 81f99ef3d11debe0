import { STATE_CODE } from '../../../src/decisions/state-codes.js';
import { firstIdAt, newId } from '../../../src/platform/ids.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';

const DAY = 24 * 3_600_000;

describe.each(ADAPTERS)('the history of a job (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
  }, 60_000);
  afterAll(() => world?.stop());

  const create = async (key: string, schedule: object): Promise<string> =>
    (await admin.post('/api/jobs', { key, group: 'own', handler: 'noop', schedule })).json.id;

  /** Makes a task of the job as if it had been made and run so many days ago. */
  async function ended(job: string, state: keyof typeof STATE_CODE, daysAgo: number): Promise<string> {
    const { taskId } = (await admin.post(`/api/jobs/${job}/trigger`, { force: true })).json;
    const at = Date.now() - daysAgo * DAY;
    const id = firstIdAt('task', at).slice(0, 15) + newId('task').slice(15);
    await world.app
      .get(SqlDialect)
      .root.run('UPDATE tasks SET id = ?, state = ?, created_at = ?, due_at = ?, started_at = ?, ended_at = ? WHERE id = ?', [
        id,
        STATE_CODE[state],
        at,
        at,
        at + 20,
        at + 1_020,
        taskId,
      ]);
    return id;
  }

  it('counts by the day of its zone what became of its tasks, and names the latest of each kind', async () => {
    const job = await create('counted', { kind: 'cron', expression: '0 3 * * *', timeZone: 'America/New_York' });
    await ended(job, 'SUCCEEDED', 3);
    const failed = await ended(job, 'TIMED_OUT', 3);
    const succeeded = await ended(job, 'SUCCEEDED', 1);
    await ended(job, 'SKIPPED', 1);
    const { json } = await admin.get(`/api/jobs/${job}/history`);
    expect(json).toMatchObject({
      timeZone: 'America/New_York',
      lastSucceeded: { id: succeeded, state: 'SUCCEEDED', startDelayMs: 20, runMs: 1_000 },
      lastFailed: { id: failed, state: 'TIMED_OUT' },
      running: [],
      countedFrom: null,
      foretoldUntil: null,
    });
    expect(json.recent).toHaveLength(4);
    expect(json.days).toHaveLength(121);
    const local = (at: number) => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(at);
    const now = Date.parse(json.at);
    expect(json.days[90].date).toBe(local(now));
    const on = (daysAgo: number) => json.days.find(({ date }: { date: string }) => date === local(now - daysAgo * DAY));
    expect(on(3)).toMatchObject({ succeeded: 1, failed: 1, skipped: 0 });
    expect(on(1)).toMatchObject({ succeeded: 1, failed: 0, skipped: 1, ahead: 0 });
    expect(json.days.slice(91).map(({ ahead }: { ahead: number }) => ahead)).toEqual(Array(30).fill(1));
  });

  it('says of one that fires too often from when on its fires are not told, and tells even ones by arithmetic', async () => {
    const dense = (await admin.get(`/api/jobs/${await create('dense', { kind: 'cron', expression: '* * * * *' })}/history`)).json;
    const from = dense.days.findIndex(({ from }: { from: string }) => from === dense.foretoldUntil);
    expect(from).toBeGreaterThan(91);
    expect(dense.days[from - 1].ahead).toBe(1_440);
    expect(dense.days.slice(from).every(({ ahead }: { ahead: number }) => ahead === 0)).toBe(true);
    const even = (await admin.get(`/api/jobs/${await create('even', { kind: 'every', everyMs: 2_000 })}/history`)).json;
    expect(even.foretoldUntil).toBeNull();
    expect(even.days.at(-1).ahead).toBe(43_200);
  });
});
