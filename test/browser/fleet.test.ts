import type { Page } from 'playwright-core';
import { ScriptedWorker } from '../support/scripted-worker.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

/** The workers do what the tests say, so what waits, runs and ends is decided here and takes no time of its own. */
let house: Console;
const workers: ScriptedWorker[] = [];
beforeAll(async () => {
  house = await Console.start(['narrow', 'limited', 'shared', 'aside']);
}, 120_000);
afterAll(async () => {
  for (const worker of workers) await worker.leave().catch(() => {});
  await house?.stop();
});
afterEach(() => house.settle());

const dialog = (page: Page) => page.getByRole('dialog');
async function worker(id: string, group: string): Promise<ScriptedWorker> {
  const made = await ScriptedWorker.register(house.house, { id, groups: [group] });
  workers.push(made);
  return made;
}
async function jobOf(group: string, more: object = {}): Promise<() => Promise<string>> {
  const { id } = await house.made('jobs', {
    key: `job-${Math.random().toString(36).slice(2)}`,
    group,
    handler: 'noop',
    schedule: { kind: 'manual' },
    overlap: 'allow',
    maxParallel: 100,
    timeoutMs: 3_600_000,
    ...more,
  });
  return async () => (await house.made(`jobs/${id}/trigger`)).taskId;
}
async function limit(group: string, maxRunning: number): Promise<void> {
  const { revision } = await house.read(`groups/${group}`);
  expect((await (await house.api()).call('PATCH', `/api/groups/${group}`, { revision, maxRunning })).status).toBe(200);
}
/** The load as the page writes it; the sum is made here. */
// biome-ignore lint/suspicious/noExplicitAny: as the API answers
function sumOf({ terms: { active, queued, attemptPoints, cost, cpu } }: any): string {
  const sum = (active + queued) * attemptPoints + cost + cpu;
  return `${active + queued} × ${attemptPoints} + ${cost.toFixed(1)} + ${cpu.toFixed(1)} = ${sum.toFixed(1)}`;
}
const stateOf = async (id: string): Promise<string> => (await house.read(`tasks/${id}`)).state;

describe('why a task is late', () => {
  it('is told with the numbers of the quota, then that no worker can take it, and clears by itself', async () => {
    await limit('narrow', 1);
    const first = await worker('narrow-1', 'narrow');
    const run = await jobOf('narrow');
    const going = await run();
    await waitFor('it runs', () => first.running.has(going));
    const waits = await run();
    const page = await house.visit(`/tasks/${waits}`);
    await page.getByText('Resolves itself:').waitFor();
    const quota = page.getByRole('listitem').filter({ hasText: 'Group quota' });
    await quota.getByText('the group is at its quota').waitFor();
    await becomes(() => quota.textContent(), expect.stringContaining('running 1 · limit 1 · ahead 0'));
    const overview = await house.visit('/overview');
    const late = overview.getByRole('listitem').getByRole('link', { name: /^Late/ }).locator('strong');
    await waitFor('the overview counts it', async () => (await late.textContent()) === '1');

    await first.leave();
    await page.getByText('Needs you:').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Workers' }).getByText('no worker of the group has the handler').waitFor();
    const second = await worker('narrow-2', 'narrow');
    await waitFor('it has ended', async () => {
      for (const id of second.running.keys()) await second.end(id);
      return (await stateOf(waits)) === 'SUCCEEDED';
    });
    await page.getByText('No action needed').waitFor();
    await waitFor('all has ended', async () => {
      for (const id of second.running.keys()) await second.end(id);
      return (await late.textContent()) === '0';
    });
  });
});

describe('a group', () => {
  it('runs no more than its quota, says what waits while it is held, and goes on by priority', async () => {
    const only = await worker('limited-1', 'limited');
    const page = await house.visit('/groups/limited');
    const bar = page.getByRole('region', { name: 'Usage', exact: true }).getByRole('img').first();
    await bar.waitFor();
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(window, { seen });
      const look = () => {
        for (const fill of document.querySelectorAll<HTMLElement>('.bar-fill')) seen.add(fill.style.width);
      };
      look();
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await page.getByLabel('Max running').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 2 running').first().waitFor();
    const run = await jobOf('limited');
    const five = await Promise.all(Array.from({ length: 5 }, run));
    await page.getByText('2 of 2 running').first().waitFor();
    for (const _ of five) await only.end(await waitFor('one runs', () => [...only.running.keys()][0]));
    for (const id of five) await waitFor('it has ended', async () => (await stateOf(id)) === 'SUCCEEDED');
    expect(only.mostRunning).toBeLessThanOrEqual(2);
    expect(only.orders).toHaveLength(5);

    await page.getByRole('button', { name: /^Hold/ }).click();
    await dialog(page).getByLabel('For', { exact: true }).click();
    await page.locator('.ant-select-item-option', { hasText: /^10 minutes$/ }).click();
    await dialog(page).getByRole('textbox').fill('stocktaking');
    await dialog(page).getByRole('button', { name: 'Hold', exact: true }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('stocktaking').first().waitFor();
    const { hold } = await house.read('groups/limited');
    expect(hold).toMatchObject({ reason: 'stocktaking', until: expect.any(String) });
    const byPriority: string[] = [];
    for (const priority of [3, 9, 6]) byPriority[priority] = await (await jobOf('limited', { priority }))();
    const task = await house.visit(`/tasks/${byPriority[9]}`);
    await task.getByText('Resolves itself:').waitFor();
    await task.getByText('the group is on hold').first().waitFor();
    await limit('limited', 1);
    await page.getByRole('button', { name: /^Release/ }).click();
    await dialog(page)
      .getByRole('button', { name: /^Release/ })
      .click();
    for (const priority of [9, 6, 3]) {
      await waitFor('it runs alone', () => only.running.has(byPriority[priority] as string) && only.running.size === 1);
      await only.end(byPriority[priority] as string);
    }
    await task.getByText('Succeeded').first().waitFor();
    await page.getByText('0 of 1 running').first().waitFor();
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen.length).toBeGreaterThan(1);
    for (const width of seen) {
      expect(Number.parseFloat(width)).toBeGreaterThanOrEqual(0);
      expect(Number.parseFloat(width)).toBeLessThanOrEqual(100);
    }
  });
});

describe('draining a worker', () => {
  it('stops new orders, lets what runs end, is undone midway, and its load is explained with the numbers of the API', async () => {
    const drained = await worker('shared-1', 'shared');
    const run = await jobOf('shared');
    for (let n = 0; n < 3; n++) await run();
    await waitFor('three run', () => drained.running.size === 3);
    const other = await worker('shared-2', 'shared');
    const page = await house.visit('/workers/shared-1');
    await page.getByText('3 of 10 running, 0 queued, room for 7 more').waitFor();
    const drain = async (stops?: RegExp) => {
      await page.getByRole('button', { name: /^Drain/ }).click();
      await dialog(page)
        .getByText(/finishes the 3 it has/)
        .waitFor();
      if (stops) {
        await dialog(page).getByLabel('Stop what still runs').click();
        await page.locator('.ant-select-item-option', { hasText: stops }).click();
        await dialog(page).getByText('What still runs then is stopped').waitFor();
      }
      await dialog(page).getByRole('textbox').fill('kernel');
      await dialog(page).getByRole('button', { name: 'Drain', exact: true }).click();
      await page.getByText('Draining', { exact: true }).first().waitFor();
      await dialog(page).waitFor({ state: 'detached' });
    };
    const from = Date.now();
    await drain(/^after 240 minutes$/);
    await page.getByText('What still runs is stopped and given to others at').waitFor();
    const { deadlineAt } = (await house.read('workers/shared-1')).drain;
    expect(Date.parse(deadlineAt) - from).toBeGreaterThanOrEqual(240 * 60_000);
    const list = await house.visit('/workers');
    await list.locator('tr[data-row="shared-1"] .bar[data-tone="hatched"] .bar-fill[data-tone="hatched"]').waitFor();
    await page.getByText('3 of 10 running, 0 queued, takes nothing new').waitFor();
    expect((await house.read('workers/shared-1')).freeSlots).toBe(0);
    const group = await house.visit('/groups/shared');
    await group.getByText('shared-2 is the only one that takes tasks').waitFor();
    for (let n = 0; n < 2; n++) await run();
    await waitFor('the other has them', () => other.running.size === 2);
    expect(drained.orders).toHaveLength(3);

    await page.getByRole('button', { name: /^Undo drain/ }).click();
    await page.getByText('Online').first().waitFor();
    await list.locator('tr[data-row="shared-1"] .bar-fill:not([data-tone])').waitFor();
    // The other has two: of four more it cannot be given all.
    for (let n = 0; n < 4; n++) await run();
    await waitFor('all are given out', () => drained.running.size + other.running.size === 9);
    expect(drained.orders.length).toBeGreaterThan(3);
    const sums = page.getByRole('region', { name: /Load explained/ }).locator('td code');
    await waitFor('the sums are those of the API', async () => {
      const { candidates } = await house.read('workers/shared-1/load?group=shared');
      return (await sums.allTextContents()).join() === candidates.map(sumOf).join();
    });

    for (const id of [...drained.running.keys()].slice(3)) await drained.end(id);
    await page.getByText('3 of 10 running').waitFor();
    await drain();
    for (let left = 2; left >= 0; left--) {
      await drained.end([...drained.running.keys()][0] as string);
      await page.getByText(`${left} of 10 running`).waitFor();
    }
    await page.getByText('Drained', { exact: true }).first().waitFor();
    await page.getByText('0 of 10 running, 0 queued, takes nothing new').waitFor();
    expect((await house.read('workers/shared-1')).drain.deadlineAt).toBeNull();
    expect(await house.read('workers/shared-1')).toMatchObject({ drainAsked: true, state: 'drained' });
    for (const id of other.running.keys()) await other.end(id);

    // The other is the last one that takes orders of the group: emptying it asks for its name.
    const last = await house.visit('/workers/shared-2');
    await last.getByRole('button', { name: /^Drain/ }).click();
    await dialog(last).getByText('No worker is left for: shared').waitFor();
    await dialog(last).getByRole('textbox').first().fill('kernel');
    const sure = dialog(last).getByRole('button', { name: 'Drain', exact: true });
    expect(await sure.isDisabled()).toBe(true);
    await dialog(last).getByLabel('Type “shared-2” to confirm').fill('shared-2');
    await becomes(() => sure.isDisabled(), false);
    await last.keyboard.press('Escape');
    await dialog(last).waitFor({ state: 'detached' });
    expect(await house.read('workers/shared-2')).toMatchObject({ drainAsked: false });
  });
});

describe('a cordoned worker', () => {
  it('is told apart, keeps what it has, gets nothing new until that is lifted, and is named where its task waits', async () => {
    const only = await worker('aside-1', 'aside');
    const run = await jobOf('aside');
    const kept = await run();
    await waitFor('it runs', () => only.running.has(kept));
    const page = await house.visit('/workers/aside-1');
    await page.getByRole('button', { name: /^Cordon/ }).click();
    await dialog(page).getByRole('textbox').fill('odd noises');
    await dialog(page).getByRole('button', { name: 'Cordon', exact: true }).click();
    await page.getByText('Cordoned', { exact: true }).first().waitFor();
    await page.getByText('odd noises').first().waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    const waits = await run();
    const task = await house.visit(`/tasks/${waits}`);
    await task.getByText('Needs you:').waitFor();
    const workers = task.getByRole('listitem').filter({ hasText: 'Workers' });
    await workers.getByText(/cordoned aside-1/).waitFor();
    expect(only.orders).toHaveLength(1);
    const strip = page.getByRole('complementary', { name: 'Current problems' });
    await strip.getByText('Due tasks and no worker for group aside').waitFor();
    await page.getByRole('button', { name: /^Lift cordon/ }).click();
    await waitFor('it has the task', () => only.running.has(waits));
    await page.getByText('Online').first().waitFor();
    for (const id of [...only.running.keys()]) await only.end(id);
    await task.getByText('Succeeded').first().waitFor();
  });
});

describe('a maintenance hold', () => {
  it('is begun and ended in the settings, told on every page, and named where a task waits', async () => {
    const only = workers.find(({ script }) => script.id === 'aside-1') as ScriptedWorker;
    const settings = await house.visit('/settings');
    const panel = settings.getByRole('region', { name: 'Maintenance', exact: true });
    await panel.getByRole('button', { name: /^Hold everything/ }).click();
    await dialog(settings).getByLabel('For', { exact: true }).click();
    await settings.locator('.ant-select-item-option', { hasText: /^30 minutes$/ }).click();
    await dialog(settings).getByRole('textbox').fill('the ledger moves');
    await dialog(settings).getByRole('button', { name: 'Hold everything', exact: true }).click();
    await panel.getByText('the ledger moves').waitFor();
    const waits = await (await jobOf('aside'))();
    const task = await house.visit(`/tasks/${waits}`);
    await task.getByText('Resolves itself:').waitFor();
    await task.getByText('everything is on hold for maintenance').first().waitFor();
    const strip = task.getByRole('complementary', { name: 'Current problems' });
    await strip.getByText('Everything is on hold for maintenance: the ledger moves').waitFor();
    expect(await strip.getByText(/until/).count()).toBe(1);
    expect(only.running.size).toBe(0);
    await dialog(settings).waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: /^Release everything/ }).click();
    await dialog(settings)
      .getByRole('button', { name: /^Release everything/ })
      .click();
    await waitFor('it has the task', () => only.running.has(waits));
    await only.end(waits);
    await task.getByText('Succeeded').first().waitFor();
    await strip.waitFor({ state: 'detached' });
  });
});

describe('a worker that also serves a group one may not see', () => {
  it('is not for one to take out of service or off the list, and both say why', async () => {
    const both = await ScriptedWorker.register(house.house, { id: 'hidden-1', groups: ['shared', 'aside'] });
    workers.push(both);
    await house.made('users', { username: 'part', password: PASSWORD, role: 'none', grants: { shared: 'operator' } });
    const why = { en: 'also serves a group you may not see', 'zh-CN': '还服务于您无权查看的分组' };
    for (const language of ['en', 'zh-CN'] as const) {
      const page = await house.visit('/workers/hidden-1', { user: 'part', language, expects: [403] });
      const refused = page.getByRole('button', { name: why[language] });
      await becomes(() => refused.count(), 3);
      for (const button of await refused.all()) expect(await button.getAttribute('aria-disabled')).toBe('true');
    }
    const page = await house.visit('/workers', { user: 'part', alone: true, expects: [403] });
    await page
      .getByRole('row', { name: /hidden-1/ })
      .locator('.menu-button')
      .click();
    await page.getByRole('menuitem', { name: /Drain.*also serves a group you may not see/ }).waitFor();
  });
});
