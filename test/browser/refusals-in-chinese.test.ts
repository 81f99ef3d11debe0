/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/admin-browser.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start();
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const language = 'zh-CN';
const fault = (page: Page, text: string) => page.locator('.ant-form-item-explain-error', { hasText: text });

describe('a console in Chinese says in Chinese', () => {
  it('why a user is not made', async () => {
    await house.made('users', { username: 'ann', password: PASSWORD, role: 'viewer', grants: {} });
    const page = await house.visit('/users', { language, expects: [400] });
    await page.getByRole('button', { name: '新建用户' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('密码').fill(PASSWORD);
    await dialog.getByLabel('用户名').fill('Ann Lee');
    await dialog
      .getByRole('button', { name: '保 存' })
      .or(dialog.getByRole('button', { name: '保存' }))
      .click();
    await fault(page, '1 至 64 个字符').waitFor();
    await dialog.getByLabel('用户名').fill('ann');
    await dialog
      .getByRole('button', { name: '保 存' })
      .or(dialog.getByRole('button', { name: '保存' }))
      .click();
    await fault(page, '已有同名用户').waitFor();
    expect(await dialog.textContent()).not.toMatch(/must|taken/);
  });

  it('where params are not JSON, and why a schedule has no fires', async () => {
    const page = await house.visit('/jobs/new', { language, expects: [400] });
    await page.getByLabel('参数').fill('{bad');
    await fault(page, '第 1 行第 2 列起不是有效的 JSON').waitFor();
    const preview = page.locator('.preview-panel');
    await page.getByText('表达式', { exact: true }).first().click();
    await page.locator('input.mono[aria-label]').last().fill('0 0 30 2 *');
    await preview.getByText('从现在起永远不会触发').waitFor();
    expect(await preview.textContent()).not.toMatch(/never|schedule\/|expression/);
    await page.locator('input.mono[aria-label]').last().fill('1 2 3');
    await preview.getByText('cron 表达式不对').waitFor();
  });

  it('why a bulk action left jobs out', async () => {
    await house.made('groups', { key: 'pay' });
    const make = (group: string, key: string) =>
      house.made('jobs', { key, group, handler: 'echo', schedule: { kind: 'manual' } });
    const [there, free] = [await make('default', 'same'), await make('pay', 'same')];
    const filter = { ids: [there.id, free.id] };
    const bulk = await house.made('bulk', { kind: 'jobs.move', filter, change: { group: 'default' }, reason: 'merge' });
    const page = await house.visit(`/bulk/${bulk.id}`, { language });
    const row = (id: string) => page.locator(`tr[data-row="${id}"]`);
    await row(free.id).getByText('目标分组已有同名作业').waitFor();
    await row(there.id).getByText('无需改动').waitFor();
    expect(await page.getByRole('table').textContent()).not.toMatch(/group|already/);
  });

  it('why a list has no such page', async () => {
    const page = await house.visit('/tasks?after=nowhere', { language, expects: [400] });
    const panel = page.getByRole('alert').filter({ hasText: '翻页位置' });
    await panel.waitFor();
    expect(await panel.textContent()).not.toMatch(/cursor|must/);
  });

  it('what a file to import has wrong', async () => {
    const file = {
      schema: 'evenkeel.configuration',
      schemaVersion: 1,
      groups: [],
      jobs: [
        { group: 'nowhere', key: 'a', handler: 'echo', schedule: { kind: 'manual' } },
        { group: 'default', key: 'b', paramsText: '{' },
      ],
    };
    const page = await house.visit('/transfer?tab=import', { language });
    await page.locator('textarea').first().fill(JSON.stringify(file));
    await page.locator('.transfer-form button[class*=primary]').click();
    const errors = page.getByRole('region', { name: '文件中的错误' });
    await errors.getByText('不是有效的 JSON').waitFor();
    expect(await errors.textContent()).not.toMatch(/must|bad_format/);
  });
});
