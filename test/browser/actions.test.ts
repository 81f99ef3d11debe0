/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  await house.house.startWorker({ id: 'w1', slots: 4 });
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
const stateOf = async (id: string): Promise<string> => (await house.read(`tasks/${id}`)).state;
const dialog = (page: Page) => page.getByRole('dialog');

/** Changes of a list that a dialog outlives; each comes a second after the one before. */
const UPDATES = Number(process.env.DIALOG_UPDATES ?? 4);
/** The server tells once a second: within three seconds is within so many tellings. */
const TELLINGS = 3;

/** Runs before a page's own scripts: notes what its stream tells, and how much of that had been told when a text was first seen. */
function noteTellings(text: string): void {
  const told: number[] = [];
  Object.assign(window, { told });
  const { addEventListener } = EventSource.prototype;
  EventSource.prototype.addEventListener = function (this: EventSource, name: string, ...rest: [never]) {
    if (name === 'changed') addEventListener.call(this, name, () => told.push(Date.now()));
    addEventListener.call(this, name, ...rest);
  };
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main')?.textContent?.includes(text)) return;
    observer.disconnect();
    Object.assign(window, { toldWhenSeen: [...told] });
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

describe('cancelling', () => {
  it('asks the worker to stop, is sent once, and is seen in another tab', async () => {
    const id = await run(await sleeper('to-cancel', 'default', 60_000));
    await waitFor('it runs', async () => (await stateOf(id)) === 'RUNNING');
    const page = await house.visit(`/tasks/${id}`);
    const other = await house.visit('/overview');
    await other.addInitScript(noteTellings, 'Cancelled');
    await other.goto(`/tasks/${id}`);
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
    const finishedAt = Date.parse((await house.read(`tasks/${id}`)).finishedAt);
    const told = await other.evaluate(() => (window as unknown as { toldWhenSeen: number[] }).toldWhenSeen);
    const late = told.filter((at) => at >= finishedAt);
    expect(told.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThanOrEqual(TELLINGS);
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.getByText('cancelled', { exact: true }).waitFor();
    const { items } = await house.read(`audit?objectId=${id}`);
    expect(items[0]).toMatchObject({ action: 'task.cancelled', reason: 'not needed' });
  });
});

describe('bulk actions', () => {
  it('keep the dialog and what was typed while the list changes, do nothing before the yes, and reach their end', async () => {
    const job = await sleeper('in-bulk', 'pay', 300_000);
    const revision = (await house.read('groups/pay')).revision;
    await (await house.api()).call('PATCH', '/api/groups/pay', { revision, maxRunning: 1 });
    for (let n = 0; n < 60; n++) await run(job);
    await waitFor('one runs', async () => (await house.read(`tasks/counts?job=${job.id}`)).states.RUNNING === 1);
    const page = await house.visit(`/tasks?job=${job.id}&state=PENDING`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await waitFor('a page is shown', async () => (await table.getByRole('row').count()) > 50);
    await table.getByRole('checkbox').first().check();
    const bar = page.getByRole('region', { name: /Chosen|selected|Bulk/i });
    await bar.getByRole('button', { name: /^Select all 59 found/ }).click();
    const opener = bar.getByRole('button', { name: 'Bulk cancel' });
    await opener.click();
    await dialog(page)
      .getByText(/59 will be acted on/)
      .waitFor();
    const reason = dialog(page).getByRole('textbox');
    await reason.fill('clearing');
    const tick = await sleeper('ticks', 'default', 10);
    let updates = 0;
    page.on('response', (answer) => {
      if (answer.url().includes('/api/tasks?')) updates += 1;
    });
    for (let n = 0; n < UPDATES; n++) {
      const before = updates;
      await run(tick);
      await waitFor('the list behind it has changed', () => updates > before);
    }
    expect(await reason.inputValue()).toBe('clearing');
    expect(await reason.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await waitFor('the focus is back', () => opener.evaluate((element) => element === document.activeElement));
    expect((await house.read(`tasks/counts?job=${job.id}`)).states.CANCELLED).toBe(0);

    const previewed = page.waitForResponse((answer) => answer.url().endsWith('/api/bulk/preview'));
    await opener.click();
    await reason.fill('clearing');
    const { frozenAt } = (await (await previewed).json()).frozen;
    const started = page.waitForRequest((asked) => asked.url().endsWith('/api/bulk'));
    await dialog(page).getByRole('button', { name: 'Apply to 59' }).click();
    expect((await started).postDataJSON().frozenAt).toBe(frozenAt);
    await page.waitForURL(/bulk\/bulk_/);
    await page.getByText('59 done, 0 left out, 0 failed').waitFor();
    expect((await house.read(`tasks/counts?job=${job.id}`)).states).toMatchObject({ CANCELLED: 59, RUNNING: 1 });
    const [{ id: last }] = (await house.read(`tasks?job=${job.id}&state=RUNNING`)).items;
    await house.made(`tasks/${last}/cancel`);
    const id = page.url().split('/').at(-1) as string;
    expect((await house.read(`audit?bulk=${id}`)).items.length).toBeGreaterThan(49);
  });
});
