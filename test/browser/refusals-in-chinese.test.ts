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

  it('why the last admin stays one', async () => {
    const page = await house.visit('/users', { language, expects: [409] });
    await page.getByRole('button', { name: '编辑 admin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('switch').click();
    await dialog
      .getByRole('button', { name: '保 存' })
      .or(dialog.getByRole('button', { name: '保存' }))
      .click();
    const told = page.locator('.ant-message-error');
    await told.getByText('admin 是最后一个管理员').waitFor();
    expect(await told.textContent()).not.toMatch(/nobody|rights/);
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
    await preview.getByText('应有 5 个字段，以秒开头时 6 个，再以年结尾时 7 个；现在有 3 个').waitFor();
    await page.locator('input.mono[aria-label]').last().fill('61 2 * * *');
    await preview.getByText('“分”字段：须为 0 至 59，不能是“61”').waitFor();
    expect(await preview.textContent()).not.toMatch(/must|minute|expression/);
    await page.locator('input.mono[aria-label]').last().fill('0 9 1 * MON');
    await preview.getByText('“日”与“周”都有限定').waitFor();
    await preview.getByText('每月 1 日以及每周一 09:00').waitFor();
    expect(await preview.textContent()).not.toMatch(/fires|match/);
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
