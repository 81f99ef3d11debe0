import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'old', 'full']);
  await house.made('jobs', { key: 'still-there', group: 'full', handler: 'noop', schedule: { kind: 'manual' } });
  await house.made('users', { username: 'viewer', password: PASSWORD, role: 'viewer' });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const dialog = (page: Page) => page.getByRole('dialog');
const put = async (path: string, body: object) => {
  const api = await house.api();
  const { revision } = (await api.get(`/api/settings/${path}`)).json;
  const answer = await api.call('PUT', `/api/settings/${path}`, { revision, ...body });
  expect(answer.status).toBe(200);
};

describe('a group', () => {
  it('is archived by its name, is gone from lists and choices, is shown when asked for, and comes back', async () => {
    const page = await house.visit('/groups/old');
    await page
      .getByRole('region', { name: 'Danger zone' })
      .getByRole('button', { name: /^Archive group/ })
      .click();
    const yes = dialog(page).getByRole('button', { name: 'Archive group' });
    expect(await yes.isDisabled()).toBe(true);
    await dialog(page).getByLabel(/old/).fill('ol');
    expect(await yes.isDisabled()).toBe(true);
    await dialog(page).getByLabel(/old/).fill('old');
    await yes.click();
    await page.getByText('This group is archived: it takes no new work').waitFor();
    // Nothing comes in and nothing is left there: only bringing it back is offered.
    const hold = page.getByRole('button', { name: /^Hold – old – The group is archived and has nothing left to do/ });
    await hold.dispatchEvent('click');
    expect(await dialog(page).count()).toBe(0);
    expect(await page.getByLabel('Max running').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Danger zone' }).count()).toBe(0);
    expect((await house.read('groups/old')).archivedAt).not.toBeNull();
    await house.go(page, 'groups');
    const table = page.getByRole('table', { name: 'Groups' });
    await table.getByRole('link', { name: 'full' }).waitFor();
    expect(await table.getByRole('link', { name: 'old' }).count()).toBe(0);
    await house.go(page, 'jobs');
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'full' }).waitFor({ state: 'attached' });
    expect(await page.getByRole('option', { name: 'old' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await house.go(page, 'groups');
    await page.getByRole('switch', { name: 'Show archived' }).click();
    await page.waitForURL(/archived=true/);
    await table.getByRole('row').filter({ hasText: 'old' }).getByText('Archived').waitFor();
    await page.reload();
    await table.getByRole('link', { name: 'old' }).click();
    await page.getByRole('button', { name: /^Unarchive/ }).click();
    await dialog(page).getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('button', { name: /^Archive group/ }).waitFor();
    expect((await house.read('groups/old')).archivedAt).toBeNull();
  });

  it('that has a job is not, and says so; nor by who may not', async () => {
    const page = await house.visit('/groups/full');
    await page.getByRole('button', { name: /^Archive group – full – It still has a job/ }).dispatchEvent('click');
    expect(await dialog(page).count()).toBe(0);
    const viewer = await house.visit('/groups/old', { user: 'viewer' });
    await viewer.getByRole('button', { name: /^Archive group – old – .*groups\.edit/ }).waitFor();
  });
});

describe('the environment', () => {
  it('is named in the settings, refused in a colour nobody could see, and then stands everywhere', async () => {
    const page = await house.visit('/settings', { expects: [400] });
    const panel = page.getByRole('region', { name: 'Environment' });
    await panel.getByRole('textbox', { name: 'Name' }).fill('PROD');
    await panel.getByLabel('Other colour').fill('#ffe58f');
    await panel.getByRole('button', { name: 'Save environment' }).click();
    await dialog(page).getByRole('button', { name: 'Save environment' }).click();
    await page.getByText(/must have 3:1 or more in both themes/).waitFor();
    await dialog(page).getByRole('button', { name: 'Back' }).click();
    expect((await house.read('site')).environment).toBeNull();
    await panel.getByRole('button', { name: 'Colour #c41d3a' }).click();
    await panel.getByRole('button', { name: 'Save environment' }).click();
    await dialog(page).getByRole('button', { name: 'Save environment' }).click();
    const badge = page.getByRole('banner').getByText('PROD', { exact: true });
    await badge.waitFor();
    await page.waitForFunction(() => document.title.endsWith('Evenkeel — PROD'));
    await house.go(page, 'tasks');
    await badge.waitFor();
    await page.waitForFunction(() => /Tasks.* — PROD$/.test(document.title));
    for (const theme of ['light', 'dark'] as const) {
      const login = await house.visit('/login', { user: null, theme, expects: [401] });
      await login.getByRole('main').getByText('PROD', { exact: true }).waitFor();
      await login.waitForFunction(() => document.title.endsWith('PROD'));
      const stripe = () =>
        login
          .getByRole('main')
          .evaluate((main) => [getComputedStyle(main).borderTopWidth, getComputedStyle(main).borderTopColor]);
      await becomes(stripe, ['4px', 'rgb(196, 29, 58)']);
      await login.evaluate(AXE);
      // biome-ignore lint/suspicious/noExplicitAny: what was put into the page
      const { violations } = await login.evaluate(() => (window as any).axe.run(document, { resultTypes: ['violations'] }));
      expect(violations.filter(({ impact }: { impact: string }) => /serious|critical/.test(impact))).toEqual([]);
    }
  });
});

describe('the floor of live updates', () => {
  it('is chosen in the settings, and nobody is offered or given less', async () => {
    const page = await house.visit('/settings');
    const panel = page.getByRole('region', { name: 'Shortest update interval' });
    await panel.getByText('15 s', { exact: true }).click();
    await panel.getByRole('button', { name: 'Change shortest interval' }).click();
    await dialog(page).getByRole('button', { name: 'Change shortest interval' }).click();
    await waitFor('it is set', async () => (await house.read('site')).liveFloorSeconds === 15);
    const mine = await house.visit('/me');
    await mine.getByText('15 s', { exact: true }).waitFor();
    await mine.getByText('5 s', { exact: true }).waitFor({ state: 'detached' });
    await becomes(() => mine.getByText('1 min', { exact: true }).count(), 1);
    await put('live-floor', { seconds: 1 });
    await mine.reload();
    await mine.getByText('5 s', { exact: true }).waitFor();
  });
});

describe('a bulk action', () => {
  it('tells in words what it was on, with times that say when and where', async () => {
    const filter = {
      group: ['default', 'full'],
      state: ['FAILED'],
      trigger: 'schedule',
      handler: 'settle',
      from: '2026-01-31T08:00:00.000Z',
    };
    const { id } = await house.made('bulk', { kind: 'tasks.retry', filter, reason: 'the ledger is back' });
    const page = await house.visit(`/bulk/${id}`);
    const words = page.getByRole('list', { name: 'Filter' });
    for (const text of ['Group: default', 'Group: full', 'State: Failed', 'Trigger: Schedule', 'Handler: settle'])
      await words.getByRole('listitem').filter({ hasText: text }).waitFor();
    await words.getByText('2026-01-31 16:00:00 +08:00 Asia/Shanghai').waitFor();
    expect(await page.getByText('frozenAt').count()).toBe(0);
    const chinese = await house.visit(`/bulk/${id}`, { language: 'zh-CN' });
    const list = chinese.getByRole('list', { name: '筛选条件' });
    for (const text of ['分组: full', '状态: 失败', '创建不早于: 2026-01-31 16:00:00'])
      await list.getByRole('listitem').filter({ hasText: text }).waitFor();
    await page.getByRole('link', { name: 'Tasks matching this filter' }).click();
    await page.waitForURL(
      ({ searchParams }) => searchParams.get('from') === filter.from && searchParams.get('handler') === 'settle',
    );
  });

  it('on chosen objects, or on everything, says that', async () => {
    const { id: job } = await house.made('jobs', { key: 'one', group: 'default', handler: 'noop', schedule: { kind: 'manual' } });
    const move = { kind: 'jobs.move', filter: { ids: [job] }, change: { group: 'full' }, reason: 'together' };
    const page = await house.visit(`/bulk/${(await house.made('bulk', move)).id}`);
    await page.getByText('One chosen job').waitFor();
    await page.getByText('To group').waitFor();
    await page.getByRole('cell', { name: 'full', exact: true }).waitFor();
  });
});
