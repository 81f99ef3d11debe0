import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createWorker, type EvenkeelWorker } from '@evenkeel/sdk/worker';
import type { Page } from 'playwright-core';
import { seedOldTasks } from '../support/old-tasks.js';
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
const stateOf = async (id: string): Promise<string> => (await house.read(`tasks/${id}`)).state;
const made = (key: string, handler: string, more: object = {}) =>
  house.made('jobs', { key, group: 'pay', handler, schedule: { kind: 'manual' }, overlap: 'allow', maxParallel: 50, ...more });

describe('a failure that is put right', () => {
  it('is seen with its error and its log, retried as the same task, and run again as another with other params', async () => {
    const job = await made('settlement', 'settle', { retry: { kind: 'none' }, paramsText: '{"day":1,"exact":9007199254740993}' });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('it has failed', async () => (await stateOf(id)) === 'FAILED');
    const page = await house.visit(`/tasks/${id}?tab=attempts`);
    await page.getByText('the bank says no').first().waitFor();
    const before = (await house.read(`tasks/${id}`)).attempts;
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('region', { name: 'Logs' }).getByText('settling').waitFor();
    broken = false;
    await page.getByRole('button', { name: /^Retry/ }).click();
    await dialog(page).getByRole('textbox').fill('the bank is back');
    await dialog(page).getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Succeeded').first().waitFor();
    const after = await house.read(`tasks/${id}`);
    expect(after).toMatchObject({ id, attempt: 2, state: 'SUCCEEDED' });
    expect(after.attempts[0]).toEqual(before[0]);
    await page.getByRole('tab', { name: /^Attempts \(2\)|Attempts/ }).click();
    const shown = page.getByRole('tabpanel').getByText(/^Attempt [12]$/);
    await shown.nth(1).waitFor();
    expect(await shown.allTextContents()).toEqual(['Attempt 2', 'Attempt 1']);

    await page.getByRole('button', { name: 'Compare two attempts' }).click();
    await page.waitForURL(/compare=1(,|%2C)2/);
    const compared = page.getByRole('region', { name: 'Compare two attempts' });
    const cells = (name: string) => compared.getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('cell');
    await waitFor('both logs are there', async () =>
      (await cells('Log').allInnerTexts()).every((text) => text.startsWith('settling')),
    );
    expect(await cells('State').allInnerTexts()).toEqual(['failed', 'succeeded']);
    expect(await cells('Error').allInnerTexts()).toEqual(['Error: the bank says no', '–']);

    await page.evaluate(() => {
      Object.assign(navigator.clipboard, { writeText: async (text: string) => Object.assign(window, { copied: text }) });
    });
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const line = await page.waitForFunction(() => (window as unknown as { copied?: string }).copied);
    const shell = promisify(execFile);
    const pasted = String(await line.jsonValue()).replace('<access key>', house.house.appKey.accessKey);
    const folder = house.house.folder().path;
    const { stdout } = await shell('sh', ['-c', pasted.replace('<secret key>', house.house.appKey.secret)], { cwd: folder });
    const twin = JSON.parse(stdout);
    expect(twin).toMatchObject({ handler: 'settle', group: 'pay' });
    expect((await house.read(`tasks/${twin.id}`)).paramsText).toBe(after.paramsText);
    await waitFor('it has ended too', async () => (await stateOf(twin.id)) === 'SUCCEEDED');

    await page.getByRole('button', { name: /^Run again/ }).click();
    const params = dialog(page).getByLabel('Params');
    await params.fill((await params.inputValue()).replace('"day": 1', '"day": 2'));
    await dialog(page).getByText('2 lines differ from this task').waitFor();
    await dialog(page).getByText('"day": 2').last().waitFor();
    await dialog(page).getByRole('button', { name: 'Create the task' }).click();
    await page.waitForURL((url) => /\/tasks\/task_/.test(url.pathname) && !url.pathname.endsWith(id));
    const again = page.url().split('/').at(-1)?.split('?')[0] as string;
    await waitFor('the new one has ended', async () => (await stateOf(again)) === 'SUCCEEDED');
    expect(JSON.parse((await house.read(`tasks/${again}`)).paramsText).day).toBe(2);
    expect((await house.read(`tasks/${again}`)).paramsText).toContain('9007199254740993');
    expect((await house.read(`tasks/${id}`)).version).toBe(after.version);
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
    const { items } = await house.read(`audit?objectId=${id}`);
    expect(items[0]).toMatchObject({ action: 'task.retried', reason: 'jkx read it' });

    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    const words = dialog(page).getByRole('combobox');
    await waitFor('one can search', () => words.evaluate((element) => element === document.activeElement));
    await page.keyboard.type('by-keyboard');
    await waitFor('the job is found first', async () =>
      /by-keyboard/.test((await dialog(page).getByRole('option', { selected: true }).textContent()) ?? ''),
    );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /by-keyboard/ }).waitFor();
    const pause = page.getByRole('button', { name: /^Pause – by-keyboard/ });
    await pause.waitFor();
    await waitFor('the button has the focus', async () => {
      await page.keyboard.press('Tab');
      return pause.evaluate((element) => element === document.activeElement);
    });
    await page.keyboard.press('Enter');
    const why = dialog(page).getByRole('textbox');
    await waitFor('one can write', () => why.evaluate((element) => element === document.activeElement));
    await page.keyboard.type('until tomorrow');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await waitFor('it is paused', async () => {
      const { state, pauseReason } = await house.read(`jobs/${job.id}`);
      return state === 'paused' && pauseReason === 'until tomorrow';
    });
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
    const { forceFrom } = (await house.read(`tasks/${id}`)).cancel;
    const offered = await force.count();
    if (Date.now() < Date.parse(forceFrom)) expect(offered).toBe(0);
    await force.waitFor();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(forceFrom));
    await force.click();
    await dialog(page).getByRole('textbox').fill('it never listens');
    await dialog(page).getByRole('button', { name: 'Force the end' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await house.read(`tasks/${id}`)).toMatchObject({ state: 'CANCELLED', reason: 'did_not_stop' });
    deafEnds();
  });
});

describe('bulk retry over the page', () => {
  const FAILED = 1_284;
  const MORE = 1_500;

  /** A job with so many failed tasks, as if each had been run. */
  async function manyFailed(key: string, count: number): Promise<{ id: string; one: string }> {
    broken = true;
    const { id } = await made(key, 'settle', { retry: { kind: 'none' } });
    const { taskId: one } = await house.made(`jobs/${id}/trigger`);
    await waitFor('it has failed', async () => (await stateOf(one)) === 'FAILED');
    await seedOldTasks((await house.house.look()).dataSource, one, count - 1);
    return { id, one };
  }
  const counts = async (job: string) => (await house.read(`tasks/counts?job=${job}`)).states;

  it('takes what the filter found and nothing that came after, says what it leaves out, and logs each', async () => {
    const job = await manyFailed('many-failed', FAILED);
    broken = false;
    await house.made(`jobs/${job.id}/trigger`);
    await waitFor('one has succeeded', async () => (await counts(job.id)).SUCCEEDED === 1);
    const page = await house.visit(`/tasks?job=${job.id}&state=FAILED&state=SUCCEEDED`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.locator('tbody tr').nth(49).waitFor();
    await table.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/after=/);
    await page.getByText('50 selected').first().waitFor();
    await page.getByRole('button', { name: `Select all ${FAILED + 1} found` }).click();
    await page.getByRole('button', { name: 'Bulk retry' }).click();
    await dialog(page).getByText(`${FAILED} will be acted on`).waitFor();
    await dialog(page).getByText('1 left out (Succeeded)').waitFor();
    await dialog(page)
      .getByText(/^Created at or after \d\d-\d\d \d\d:\d\d:\d\d/)
      .waitFor();
    broken = true;
    const { taskId: later } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('the later one has failed', async () => (await stateOf(later)) === 'FAILED');
    broken = false;
    await dialog(page).getByRole('textbox').fill('the bank is back');
    await dialog(page)
      .getByRole('button', { name: `Apply to ${FAILED}` })
      .click();
    await page.waitForURL(/bulk\/bulk_/);
    await page.getByText(`${FAILED} done, 0 left out, 0 failed`).waitFor({ timeout: 150_000 });
    const bulk = page.url().split('/').at(-1) as string;
    await waitFor('they succeeded', async () => (await counts(job.id)).SUCCEEDED === FAILED + 1, 150_000);
    expect(await house.read(`tasks/${later}`)).toMatchObject({ state: 'FAILED', attempt: 1 });
    const [entry] = (await house.read(`audit?objectId=${job.one}`)).items;
    expect(entry).toMatchObject({ action: 'task.retried', reason: 'the bank is back', bulkId: bulk });
    const [parent] = (await house.read(`audit?objectId=${bulk}`)).items;
    expect(parent).toMatchObject({ reason: 'the bank is back' });
  }, 400_000);

  it('stops where it is when it is given up midway', async () => {
    const job = await manyFailed('given-up', MORE);
    // What is retried waits, here and in the tests that follow: nothing runs that could be counted wrong.
    await house.made('groups/pay/hold', { reason: 'looking' });
    const { id } = await house.made('bulk', {
      kind: 'tasks.retry',
      filter: { job: job.id, state: ['FAILED'] },
      reason: 'all again',
    });
    await waitFor('some are done', async () => (await house.read(`bulk/${id}`)).done > 0);
    await house.made(`bulk/${id}/pause`);
    const page = await house.visit(`/bulk/${id}`);
    await page.getByRole('button', { name: /^Resume/ }).waitFor();
    await page.getByRole('button', { name: /^Abort/ }).click();
    await dialog(page).getByRole('textbox').fill('the wrong ones');
    await dialog(page).getByRole('button', { name: 'Abort', exact: true }).click();
    await waitFor('it is given up', async () => (await house.read(`bulk/${id}`)).state === 'aborted');
    // One after the other: what the first had begun has ended when another has.
    const another = async (kind: string) => {
      const { id: next } = await house.made('bulk', { kind, filter: { ids: [job.id] }, reason: 'one more' });
      await waitFor('another one has ended', async () => (await house.read(`bulk/${next}`)).state === 'done');
      return counts(job.id);
    };
    const stopped = await another('jobs.pause');
    // Beyond what may run of the job at once, they wait for their turn.
    const retried = stopped.PENDING + stopped.BLOCKED;
    expect(retried).toBeGreaterThan(0);
    expect(stopped.FAILED).toBeGreaterThan(0);
    expect(retried + stopped.FAILED).toBe(MORE);
    expect(await another('jobs.resume')).toEqual(stopped);
    const { items } = await house.read(`audit?objectId=${id}`);
    expect(items[0]).toMatchObject({ action: 'bulk.aborted', reason: 'the wrong ones' });
  }, 400_000);
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
