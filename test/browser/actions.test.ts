import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay', 'alone']);
  await house.house.startWorker({ id: 'w1', groups: ['default', 'pay'], slots: 4 });
  await house.house.startWorker({ id: 'w2', groups: ['default', 'pay', 'alone'], slots: 4 });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

/** A job that is run by hand, as often at once as one likes. */
function sleeper(key: string, group: string, ms: number, more: object = {}) {
  const schedule = { kind: 'manual' };
  return house.made('jobs', {
    key,
    group,
    handler: 'sleep',
    schedule,
    paramsText: `{"ms":${ms}}`,
    overlap: 'allow',
    maxParallel: 100,
    ...more,
  });
}
const run = async (job: { id: string }): Promise<string> => (await house.made(`jobs/${job.id}/trigger`)).taskId;
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const read = async (path: string): Promise<any> => (await (await house.api()).get(`/api/${path}`)).json;
const stateOf = async (id: string): Promise<string> => (await read(`tasks/${id}`)).state;
const dialog = (page: Page) => page.getByRole('dialog');

describe('why a task is late', () => {
  it('is told with the numbers of the quota, and then that no worker can take it; it clears by itself', async () => {
    await house.made('groups', { key: 'narrow', maxRunning: 1 });
    const job = await sleeper('narrow-job', 'narrow', 60_000, { handler: 'sleep' });
    const worker = await house.made('keys', { kind: 'worker', groups: ['narrow'], label: 'narrow' });
    void worker;
    const id = await run(job);
    const page = await house.visit(`/tasks/${id}`);
    await page.getByText('Needs you:').waitFor();
    await page.getByText('no worker has the handler').first().waitFor();
    const late = await waitFor('the overview counts it', async () => {
      const { tiles } = await read('overview');
      return tiles.late.count > 0 ? tiles.late : null;
    });
    expect(late.query).toContain('late=true');
    const revision = (await read('groups/narrow')).revision;
    await (await house.api()).call('PATCH', '/api/groups/narrow', { revision, maxRunning: 5 });
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('Cancelled').first().waitFor();
    await waitFor('nothing is late', async () => (await read('overview')).tiles.late.count === 0);
  });
});

describe('cancelling', () => {
  it('asks the worker to stop, is sent once, and is seen in another tab', async () => {
    const id = await run(await sleeper('to-cancel', 'default', 60_000));
    await waitFor('it runs', async () => (await stateOf(id)) === 'RUNNING');
    const page = await house.visit(`/tasks/${id}`);
    const other = await house.visit(`/tasks/${id}`);
    await other.getByText('Running').first().waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await dialog(page).getByRole('textbox').fill('not needed');
    await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).dblclick();
    await other.getByText('Cancelled').first().waitFor();
    expect(sent).toHaveLength(1);
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.getByText('cancelled', { exact: true }).waitFor();
    const { items } = await read(`audit?objectId=${id}`);
    expect(items[0]).toMatchObject({ action: 'task.cancelled', reason: 'not needed' });
  });
});

describe('bulk actions', () => {
  it('keep the dialog and what was typed while the list changes, do nothing before the yes, and reach their end', async () => {
    const job = await sleeper('in-bulk', 'pay', 300_000);
    const revision = (await read('groups/pay')).revision;
    await (await house.api()).call('PATCH', '/api/groups/pay', { revision, maxRunning: 1 });
    for (let n = 0; n < 60; n++) await run(job);
    const page = await house.visit(`/tasks?job=${job.id}&state=PENDING`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await waitFor('a page is shown', async () => (await table.getByRole('row').count()) > 50);
    await table.getByRole('checkbox').first().check();
    const bar = page.getByRole('region', { name: /Chosen|selected|Bulk/i });
    await bar.getByRole('button', { name: /^Select all 59 found/ }).click();
    const opener = bar.getByRole('button', { name: 'Cancel all' });
    await opener.click();
    await dialog(page)
      .getByText(/59 will be acted on/)
      .waitFor();
    const reason = dialog(page).getByRole('textbox');
    await reason.fill('clearing');
    const tick = await sleeper('ticks', 'default', 10);
    for (let n = 0; n < 5; n++) await run(tick);
    await page.waitForTimeout(2_500);
    expect(await reason.inputValue()).toBe('clearing');
    expect(await reason.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await waitFor('the focus is back', () => opener.evaluate((element) => element === document.activeElement));
    expect((await read(`tasks/counts?job=${job.id}`)).states.CANCELLED).toBe(0);

    await opener.click();
    await reason.fill('clearing');
    await dialog(page).getByRole('button', { name: 'Do it for 59' }).click();
    await page.waitForURL(/bulk\/bulk_/);
    await page.getByText('59 done, 0 left out, 0 failed').waitFor();
    expect((await read(`tasks/counts?job=${job.id}`)).states).toMatchObject({ CANCELLED: 59, RUNNING: 1 });
    const [{ id: last }] = (await read(`tasks?job=${job.id}&state=RUNNING`)).items;
    await house.made(`tasks/${last}/cancel`);
    const id = page.url().split('/').at(-1) as string;
    expect((await read(`audit?bulk=${id}`)).items.length).toBeGreaterThan(49);
  });
});

describe('workers and groups', () => {
  it('draining stops new orders, is undone, and the figures of the load are those of the API', async () => {
    const page = await house.visit('/workers/w1');
    await page.getByRole('button', { name: /^Drain/ }).click();
    await dialog(page).getByRole('textbox').first().fill('kernel');
    await dialog(page).getByRole('button', { name: 'Drain', exact: true }).click();
    await page.getByText('Drained').first().waitFor();
    expect(await read('workers/w1')).toMatchObject({ drainAsked: true, state: 'drained' });
    const id = await run(await sleeper('while-drained', 'default', 10));
    await waitFor('it ran elsewhere', async () => (await read(`tasks/${id}`)).attempts[0]?.worker === 'w2');
    await page.getByRole('button', { name: /^(Undo|End)/ }).click();
    await page.getByText('Online').first().waitFor();
    const load = await read('workers/w1/load?group=default');
    const { terms } = load.candidates.find(({ id: one }: { id: string }) => one === 'w1');
    expect(terms.load).toBeCloseTo(terms.attempts + terms.cost + terms.cpu, 1);
    await page
      .getByText(/= \d+\.\d$/)
      .first()
      .waitFor();
  });

  it('a hold makes tasks wait and says why; released, they run', async () => {
    const page = await house.visit('/groups/alone');
    await page.getByRole('button', { name: /^Hold/ }).click();
    await dialog(page).getByRole('textbox').first().fill('stocktaking');
    await dialog(page).getByRole('button', { name: /^Hold/ }).click();
    await page.getByText('stocktaking').first().waitFor();
    const id = await run(await sleeper('held', 'alone', 10));
    const task = await house.visit(`/tasks/${id}`);
    await task.getByText('the group is on hold').first().waitFor();
    await page.getByRole('button', { name: /^Release/ }).click();
    const confirm = dialog(page).getByRole('button', { name: /^Release/ });
    if (await confirm.isVisible().catch(() => false)) await confirm.click();
    await task.getByText('Succeeded').first().waitFor();
  });
});
