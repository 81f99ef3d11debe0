import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start();
  await house.house.startWorker({ id: 'w1', slots: 4 });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

/** Where it is noon now: neither does the day end nor the job fire while a test looks. */
const hoursAhead = 12 - new Date().getUTCHours();
const ZONE = `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`;
const daily = { kind: 'cron', expression: '30 2 * * *', timeZone: ZONE };

describe('the overview of a job', () => {
  it('shows its latest ends, how long they took, and every day behind and ahead as a map and as a table', async () => {
    const { id } = await house.made('jobs', { key: 'seen', group: 'default', handler: 'echo', schedule: daily });
    const run = async () => (await house.made(`jobs/${id}/trigger`, { force: true })).taskId as string;
    // The latest success is the one that ended last.
    const done = async (task: string) =>
      waitFor('it has ended', async () => (await house.read(`tasks/${task}`)).state === 'SUCCEEDED');
    await done(await run());
    const second = await run();
    await done(second);
    const page = await house.visit(`/jobs/${id}`);
    await page.getByText('Last success').waitFor();
    await page.getByRole('link', { name: second.slice(-8) }).waitFor();
    await page.getByText('none within retention').waitFor();
    await page.getByRole('img', { name: /^Run time and start delay of the latest 2 tasks/ }).waitFor();
    const map = page.getByRole('region', { name: `90 days back and 30 ahead (${ZONE})` });
    const today = map.getByRole('link', { name: /Succeeded 2/ });
    await today.waitFor();
    const ahead = map.locator('[data-kind="ahead"][title$="To fire 1"]');
    await waitFor('the days ahead', async () => (await ahead.count()) >= 29);
    await map.getByRole('button', { name: 'View as table' }).click();
    const rows = map.getByRole('table', { name: 'Date' }).locator('tbody tr');
    await waitFor('the days as a table', async () => (await rows.count()) >= 30);
    await map.getByRole('link', { name: /^Tasks of 20/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await waitFor('both are listed', async () => (await page.locator('tr[data-row]').count()) === 2);
  });

  it('does not call a day well while something of it has not ended', async () => {
    const job = {
      key: 'goes-on',
      group: 'default',
      handler: 'sleep',
      schedule: { kind: 'manual' },
      overlap: 'allow',
      maxParallel: 2,
    };
    const { id } = await house.made('jobs', job);
    const run = async (ms: number) =>
      (await house.made(`jobs/${id}/trigger`, { paramsText: JSON.stringify({ ms }) })).taskId as string;
    const [long, short] = [await run(300_000), await run(1)];
    const stateOf = async (task: string) => (await house.read(`tasks/${task}`)).state;
    await waitFor(
      'one has ended, the other has begun',
      async () => [await stateOf(short), await stateOf(long)].join() === 'SUCCEEDED,RUNNING',
    );
    const page = await house.visit(`/jobs/${id}`);
    const today = page.locator('.day-cell[data-today]');
    await today.waitFor();
    expect(await today.getAttribute('data-kind')).toBe('open');
    expect(await today.getAttribute('aria-label')).toMatch(/Succeeded 1 · Unfinished 1$/);
    await page.getByText('unfinished, none failed').waitFor();
    await page.goto('/jobs?q=goes-on');
    const row = page.locator('tr[data-row]', { hasText: 'goes-on' });
    await row.getByText('Succeeded', { exact: true }).waitFor();
    await row.getByText('1 unfinished', { exact: true }).waitFor();
    // What lies before the twenty-four latest tasks is not known.
    for (let n = 2; n < 24; n++) {
      const more = await run(1);
      await waitFor('it has ended', async () => (await stateOf(more)) === 'SUCCEEDED');
    }
    await page.reload();
    await row.getByText('at least 1 unfinished', { exact: true }).waitFor();

    await house.made(`tasks/${long}/cancel`);
    await waitFor('it has been stopped', async () => (await stateOf(long)) === 'CANCELLED');
    await page.goto(`/jobs/${id}`);
    await page.locator('.day-cell[data-today][data-kind="ok"]').waitFor();
  });

  it('names the latest failure, and says so where nothing was and nothing is to come', async () => {
    const job = (key: string, more: object) =>
      house.made('jobs', { key, group: 'default', handler: 'fail', schedule: { kind: 'manual' }, ...more });
    const { id } = await job('breaks', { retry: { kind: 'none' } });
    const { taskId } = await house.made(`jobs/${id}/trigger`);
    await waitFor('it has failed', async () => (await house.read(`tasks/${taskId}`)).state === 'FAILED');
    const page = await house.visit(`/jobs/${id}`);
    await page.getByRole('link', { name: taskId.slice(-8) }).waitFor();
    await page.locator('[data-kind="failed"][data-today]').waitFor();
    const { id: idle } = await job('idle', {});
    await page.goto(`/jobs/${idle}`);
    await page.getByText('No tasks within retention').waitFor();
  });
});
