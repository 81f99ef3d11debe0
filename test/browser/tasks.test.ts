import { createWorker, type EvenkeelWorker } from '@evenkeel/sdk/worker';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let worker: EvenkeelWorker;
let broken = true;
let deafEnds: () => void = () => {};
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  const { accessKey, secret } = house.house.workerKey;
  worker = createWorker({
    centre: [house.url],
    key: accessKey,
    secret,
    groups: ['default', 'pay'],
    workerId: 'own',
    slots: 8,
    drainMs: 500,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDir: house.house.folder().path,
  })
    .handle('settle', (params, ctx) => {
      ctx.log.info('settling', { broken });
      if (broken) throw new Error('the bank says no');
      return { params };
    })
    // Hears no cancel: it ends when the test says so.
    .handle('deaf', () => new Promise<null>((done) => (deafEnds = () => done(null))));
  await worker.start();
}, 120_000);
afterAll(async () => {
  deafEnds();
  await worker?.stop();
  await house?.stop();
});
afterEach(() => house.settle());

const dialog = (page: Page) => page.getByRole('dialog');
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const read = async (path: string): Promise<any> => (await (await house.api()).get(`/api/${path}`)).json;
const stateOf = async (id: string): Promise<string> => (await read(`tasks/${id}`)).state;
const made = (key: string, handler: string, more: object = {}) =>
  house.made('jobs', { key, group: 'pay', handler, schedule: { kind: 'manual' }, overlap: 'allow', maxParallel: 50, ...more });

describe('a failure that is put right', () => {
  it('is seen with its error and its log, retried as the same task, and run again as another with other params', async () => {
    const job = await made('settlement', 'settle', { retry: { kind: 'none' }, paramsText: '{"day":1,"exact":9007199254740993}' });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('it has failed', async () => (await stateOf(id)) === 'FAILED');
    const page = await house.visit(`/tasks/${id}?tab=attempts`);
    await page.getByText('the bank says no').first().waitFor();
    const before = (await read(`tasks/${id}`)).attempts;
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('region', { name: 'Logs' }).getByText('settling').waitFor();
    broken = false;
    await page.getByRole('button', { name: /^Retry/ }).click();
    await dialog(page).getByRole('textbox').fill('the bank is back');
    await dialog(page).getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Succeeded').first().waitFor();
    const after = await read(`tasks/${id}`);
    expect(after).toMatchObject({ id, attempt: 2, state: 'SUCCEEDED' });
    expect(after.attempts[0]).toEqual(before[0]);
    await page.getByRole('tab', { name: /^Attempts \(2\)|Attempts/ }).click();
    const shown = page.getByRole('tabpanel').getByText(/^Attempt [12]$/);
    expect(await shown.allTextContents()).toEqual(['Attempt 2', 'Attempt 1']);

    await page.getByRole('button', { name: /^Run again/ }).click();
    const params = dialog(page).getByLabel('Params');
    await params.fill((await params.inputValue()).replace('"day": 1', '"day": 2'));
    await dialog(page).getByText('2 lines differ from this task').waitFor();
    await dialog(page).getByText('"day": 2').last().waitFor();
    await dialog(page).getByRole('button', { name: 'Create the task' }).click();
    await page.waitForURL((url) => /\/tasks\/task_/.test(url.pathname) && !url.pathname.endsWith(id));
    const again = page.url().split('/').at(-1)?.split('?')[0] as string;
    await waitFor('the new one has ended', async () => (await stateOf(again)) === 'SUCCEEDED');
    expect(JSON.parse((await read(`tasks/${again}`)).paramsText).day).toBe(2);
    expect((await read(`tasks/${again}`)).paramsText).toContain('9007199254740993');
    expect((await read(`tasks/${id}`)).version).toBe(after.version);
  });

  it('is found, read and retried with the keyboard alone', async () => {
    broken = true;
    const job = await made('by-keyboard', 'settle', { retry: { kind: 'none' } });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('it has failed', async () => (await stateOf(id)) === 'FAILED');
    broken = false;
    const page = await house.visit(`/tasks?job=${job.id}&state=FAILED`);
    await page.locator(`tr[data-row="${id}"]`).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('l');
    await page.getByRole('region', { name: 'Logs' }).getByText('settling').waitFor();
    await page.goBack();
    await page.locator(`tr[data-row="${id}"]`).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    const reason = dialog(page).getByRole('textbox');
    await waitFor('one can write', () => reason.evaluate((element) => element === document.activeElement));
    await page.keyboard.type('jkx read it');
    expect(await reason.inputValue()).toBe('jkx read it');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await waitFor('it was retried', async () => (await stateOf(id)) === 'SUCCEEDED');
    const { items } = await read(`audit?objectId=${id}`);
    expect(items[0]).toMatchObject({ action: 'task.retried', reason: 'jkx read it' });
  });
});

describe('a task that does not stop', () => {
  it('offers force only after its worker had its time', async () => {
    const job = await made('deaf-job', 'deaf', { timeoutMs: 600_000 });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('it runs', async () => (await stateOf(id)) === 'RUNNING');
    const page = await house.visit(`/tasks/${id}`);
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click();
    await page
      .getByRole('status')
      .getByText(/Cancel asked for at/)
      .waitFor();
    const force = page.getByRole('button', { name: /^Force the end/ });
    const { forceFrom } = (await read(`tasks/${id}`)).cancel;
    if (Date.now() < Date.parse(forceFrom) - 500) expect(await force.count()).toBe(0);
    await force.waitFor();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(forceFrom));
    await force.click();
    await dialog(page).getByRole('textbox').fill('it never listens');
    await dialog(page).getByRole('button', { name: 'Force the end' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await read(`tasks/${id}`)).toMatchObject({ state: 'CANCELLED', reason: 'did_not_stop' });
    deafEnds();
  });
});

describe('bulk retry over the page', () => {
  it('takes what the filter found and nothing that came after, and logs each', async () => {
    broken = true;
    const job = await made('many-failed', 'settle', { retry: { kind: 'none' } });
    for (let n = 0; n < 55; n++) await house.made(`jobs/${job.id}/trigger`);
    const failed = async () => (await read(`tasks/counts?job=${job.id}`)).states.FAILED;
    await waitFor('all have failed', async () => (await failed()) === 55);
    const page = await house.visit(`/tasks?job=${job.id}&state=FAILED`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.locator('tbody tr').nth(49).waitFor();
    await table.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/after=/);
    await page.getByText('50 selected').first().waitFor();
    await page.getByRole('button', { name: /^Select all 55 found/ }).click();
    await page.getByRole('button', { name: 'Retry all' }).click();
    await dialog(page)
      .getByText(/55 will be acted on/)
      .waitFor();
    const { taskId: later } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('the later one has failed', async () => (await stateOf(later)) === 'FAILED');
    broken = false;
    await dialog(page).getByRole('textbox').fill('the bank is back');
    await dialog(page).getByRole('button', { name: 'Do it for 55' }).click();
    await page.waitForURL(/bulk\/bulk_/);
    await page.getByText('55 done, 0 left out, 0 failed').waitFor();
    await waitFor('they succeeded', async () => (await read(`tasks/counts?job=${job.id}`)).states.SUCCEEDED === 55);
    expect(await read(`tasks/${later}`)).toMatchObject({ state: 'FAILED', attempt: 1 });
  });
});

describe('draining the last worker of a group', () => {
  it('asks for its name first', async () => {
    const page = await house.visit('/workers/own');
    await page.getByRole('button', { name: /^Drain/ }).click();
    await dialog(page)
      .getByText(/No worker is left for: default, pay/)
      .waitFor();
    const [reason, name] = [dialog(page).getByRole('textbox').first(), dialog(page).getByRole('textbox').last()];
    await reason.fill('kernel');
    const drain = dialog(page).getByRole('button', { name: 'Drain', exact: true });
    expect(await drain.isDisabled()).toBe(true);
    await name.fill('own');
    await drain.click();
    await page.getByText('Drained').first().waitFor();
    await page.getByRole('button', { name: /^(Undo|End)/ }).click();
    await page.getByText('Online').first().waitFor();
  });
});
