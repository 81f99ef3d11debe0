/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  await house.house.startWorker({ id: 'w1', slots: 8, groups: ['default', 'pay'] });
  const job = (key: string, handler: string, more: object = {}) =>
    house.made('jobs', { key, group: 'pay', handler, schedule: { kind: 'manual' }, overlap: 'allow', maxParallel: 50, ...more });
  const good = await job('good', 'echo');
  const bad = await job('bad', 'fail', { retry: { kind: 'none' } });
  for (let n = 0; n < 3; n++) await house.made(`jobs/${good.id}/trigger`);
  for (let n = 0; n < 5; n++)
    await house.made(`jobs/${bad.id}/trigger`, { paramsText: `{"message":"order ${n} of <b>x</b> is lost"}` });
  await waitFor('all have ended', async () => {
    const { states } = await house.read('tasks/counts');
    return states.SUCCEEDED === 3 && states.FAILED === 5;
  });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe('the list of tasks', () => {
  it('is one line to a job, an error, a worker or a group, and a click lists what is in it', async () => {
    const page = await house.visit('/tasks?by=job');
    const table = page.getByRole('table', { name: 'Grouped tasks' });
    await table.getByRole('row', { name: /^bad 5 5/ }).waitFor();
    await table.getByRole('row', { name: /^good 3 –/ }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByTitle('Grouped by error').click();
    await table.getByRole('row', { name: /^order # of <b>x<\/b> is lost 5 5/ }).waitFor();
    expect(await table.locator('b').count()).toBe(0);
    await page.waitForURL((url) => url.searchParams.get('by') === 'error');
    await page.goto('/tasks?by=worker&state=FAILED');
    await table.getByRole('row', { name: /^w1 5 5/ }).waitFor();
    await table.getByRole('button', { name: 'w1' }).click();
    await waitFor('its five are listed', async () => (await page.locator('tr[data-row]').count()) === 5);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ worker: 'w1', state: 'FAILED' });
  });

  it('has views at one click, and keeps one under a name until it is forgotten', async () => {
    const page = await house.visit('/tasks');
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('button', { name: 'Failed in the last hour' }).click();
    await waitFor('the failed are listed', async () => (await page.locator('tr[data-row]').count()) === 5);
    expect(new URL(page.url()).search).toBe('?state=FAILED&state=TIMED_OUT&since=1h');
    expect(await views.getByRole('button', { name: 'Save view' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Filter tasks' }).fill('handler:echo group:pay');
    await page.getByRole('combobox', { name: 'Filter tasks' }).press('Enter');
    await page.waitForURL(/handler=echo/);
    await page.getByRole('button', { name: 'Any state' }).click();
    await waitFor('three are listed', async () => (await page.locator('tr[data-row]').count()) === 3);
    const kept = new URL(page.url()).search;
    await views.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('echoes of <i>pay</i>');
    await page.getByLabel('Name of the view').press('Enter');
    const own = views.getByRole('button', { name: 'echoes of <i>pay</i>', exact: true });
    await own.waitFor();
    await views.getByRole('button', { name: 'Last 24 hours' }).click();
    await waitFor('all are listed', async () => (await page.locator('tr[data-row]').count()) === 8);
    await page.reload();
    await own.click();
    await waitFor('three are listed again', async () => (await page.locator('tr[data-row]').count()) === 3);
    const parts = (search: string) => [...new URLSearchParams(search)].sort();
    expect(parts(new URL(page.url()).search)).toEqual(parts(kept));
    await views.getByRole('button', { name: /^Forget the view/ }).click();
    await waitFor('it is gone', async () => (await own.count()) === 0);
  });

  it('is a line to a task in both languages, however long a key or a reason, and fits beside the menu', async () => {
    const key = 'mail-the-partners-what-the-night-has-settled';
    const more = { schedule: { kind: 'manual' }, retry: { kind: 'none' } };
    const job = await house.made('jobs', { key, group: 'pay', handler: 'fail', ...more });
    const message = `the bank ${'has not answered and '.repeat(20)}is asked no more`;
    const { taskId } = await house.made(`jobs/${job.id}/trigger`, { paramsText: JSON.stringify({ message }) });
    await waitFor('it has failed', async () => (await house.read(`tasks/${taskId}`)).state === 'FAILED');
    for (const language of ['en', 'zh-CN'] as const) {
      const page = await house.visit('/tasks', { language });
      const row = page.locator(`tr[data-row="${taskId}"]`);
      await row.getByTitle(message).waitFor();
      await row.getByTitle(key).waitFor();
      const { heights, width, room } = await page.locator('[data-list="tasks"]').evaluate((list) => ({
        heights: [...list.querySelectorAll('tr[data-row]:not(:last-child) td:first-child')].map((cell) => cell.clientHeight),
        width: list.scrollWidth,
        room: list.clientWidth,
      }));
      expect({ language, heights: [...new Set(heights)], over: width - room }).toEqual({
        language,
        heights: [heights.at(-1)],
        over: 0,
      });
    }
  });
});
