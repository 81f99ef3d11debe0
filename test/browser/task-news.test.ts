/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { createWorker, type EvenkeelWorker } from '@evenkeel/sdk/worker';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let worker: EvenkeelWorker;
const ends: (() => void)[] = [];
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  const { accessKey, secret } = house.house.workerKey;
  worker = createWorker({
    centre: [house.url],
    key: accessKey,
    secret,
    groups: ['default'],
    workerId: 'own',
    slots: 8,
    drainMs: 500,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDir: house.house.folder().path,
  }).handle('waits', () => new Promise<null>((done) => ends.push(() => done(null))));
  await worker.start();
}, 120_000);
afterAll(async () => {
  for (const end of ends) end();
  await worker?.stop();
  await house?.stop();
});
afterEach(() => house.settle());

const stateOf = async (id: string): Promise<string> => (await house.read(`tasks/${id}`)).state;
const jobs = new Map<string, string>();
async function run(handler: string, group = 'default'): Promise<string> {
  const key = `${group}-${handler}`;
  const schedule = { kind: 'manual' };
  const more = { overlap: 'allow', maxParallel: 50, timeoutMs: 600_000 };
  const made = async () => (await house.made('jobs', { key, group, handler, schedule, ...more })).id as string;
  const job = jobs.get(key) ?? (await made());
  jobs.set(key, job);
  return (await house.made(`jobs/${job}/trigger`)).taskId;
}
async function running(): Promise<string> {
  const id = await run('waits');
  await waitFor('it runs', async () => (await stateOf(id)) === 'RUNNING');
  return id;
}
async function end(id: string): Promise<void> {
  for (const each of ends.splice(0)) each();
  await waitFor('it has ended', async () => (await stateOf(id)) === 'SUCCEEDED');
}
const row = (page: Page, id: string) => page.locator(`tr[data-row="${id}"]`);

describe('a task that waits', () => {
  it('has its reason in the lists too, another one when that changes without it, and no attempt before it has begun', async () => {
    const id = await run('nowhere', 'pay');
    const page = await house.visit('/tasks?group=pay');
    await row(page, id).getByText('no worker of the group has the handler').waitFor();
    const cellOf = async (title: string) => {
      const titles = await page.getByRole('columnheader').allInnerTexts();
      return row(page, id)
        .getByRole('cell')
        .nth(titles.findIndex((each) => each.startsWith(title)));
    };
    expect(await (await cellOf('Attempt')).textContent()).toBe('–');
    await house.made('groups/pay/hold', { reason: 'for good' });
    await row(page, id).getByText('the group is on hold').waitFor();
    await house.made('groups/pay/release');
    await row(page, id).getByText('no worker of the group has the handler').waitFor();
    const { version, state } = await house.read(`tasks/${id}`);
    expect({ version, state }).toEqual({ version: 1, state: 'PENDING' });

    await house.go(page, `tasks/${id}`);
    const fact = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    await fact('Attempt').getByText('Not started').waitFor();
    await fact('Reason').getByText('no worker of the group has the handler').waitFor();
    await house.made('groups/pay/hold', { reason: 'for good' });
    await fact('Reason').getByText('the group is on hold').waitFor();
    await page.getByText('Needs you:').waitFor();
    await house.made('groups/pay/release');
    await house.go(page, `jobs/${jobs.get('pay-nowhere')}?tab=tasks`);
    await row(page, id).getByText('no worker of the group has the handler').waitFor();
  });
});

describe('the band over the timeline', () => {
  const drawn = async (page: Page): Promise<string> => (await page.locator('.band').getAttribute('aria-label')) ?? '';

  it('goes on to now in the state a task is in, and stops at its end', async () => {
    const id = await running();
    const page = await house.visit(`/tasks/${id}`);
    await page.getByRole('img', { name: /, Running \d/ }).waitFor();
    const before = await drawn(page);
    await waitFor('it has grown', async () => (await drawn(page)) !== before);
    await end(id);
    await page.getByRole('table', { name: 'Timeline' }).getByText('Succeeded', { exact: true }).waitFor();
    expect(await drawn(page)).toMatch(/, Running [^,]+$/);
  });

  it('is there of a task that only waits', async () => {
    const page = await house.visit(`/tasks/${await run('nowhere', 'pay')}`);
    await page.getByRole('img', { name: /^Queued \d/ }).waitFor();
  });
});

describe('a task that ends', () => {
  it('is told of to who opened its page a moment before the stream heard of it', async () => {
    const id = await running();
    const page = await house.visit('/me');
    let open: () => void = () => {};
    const held = new Promise<void>((done) => (open = done));
    const asked = page.waitForRequest((request) => request.url().includes(`task%3A${id}`));
    await page.route(
      (url) => url.pathname.endsWith('/api/stream') && url.search.includes(id),
      async (route) => {
        await held;
        await route.continue();
      },
    );
    await house.go(page, `tasks/${id}`);
    await asked;
    await page.getByText('Running', { exact: true }).first().waitFor();
    await end(id);
    open();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
  });

  it('is told of beside the list it was glanced at in', async () => {
    const id = await running();
    const page = await house.visit(`/tasks?peek=${id}`);
    const peek = page.getByRole('complementary');
    await peek.getByText('Running', { exact: true }).waitFor();
    await end(id);
    await peek.getByText('Succeeded', { exact: true }).waitFor();
  });

  it('has a turning sign at the step it is at, and at none it has been through', async () => {
    const id = await running();
    const page = await house.visit(`/tasks/${id}`);
    const steps = page.getByRole('table', { name: 'Timeline' });
    const turning = steps.locator('tr', { has: page.locator('.state-arc') });
    await steps.getByText('Running', { exact: true }).waitFor();
    expect(await turning.count()).toBe(1);
    expect(await turning.textContent()).toContain('Running');
    await end(id);
    await steps.getByText('Succeeded', { exact: true }).waitFor();
    expect(await turning.count()).toBe(0);
  });
});

it('boxes to tick are told from the page in the dark, as those that can be ticked', async () => {
  await run('nowhere', 'pay');
  const page = await house.visit('/tasks', { theme: 'dark' });
  const box = page.locator('.tick-box').nth(1);
  await box.waitFor();
  const look = () =>
    box.evaluate((element) => {
      const { borderTopColor, borderTopWidth, backgroundColor } = getComputedStyle(element);
      return { borderTopColor, borderTopWidth, backgroundColor };
    });
  const [text, surface] = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.cssText = 'color: var(--text-secondary); background: var(--surface)';
    const { color, backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return [color, backgroundColor];
  });
  expect(await look()).toEqual({ borderTopColor: text, borderTopWidth: '1px', backgroundColor: surface });
  await box.check();
  expect(await box.isChecked()).toBe(true);
});
