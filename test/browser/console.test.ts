import type { Locator, Page, Request } from 'playwright-core';
import { firstIdAt } from '../../src/platform/ids.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

let console_: Console;
beforeAll(async () => {
  console_ = await Console.start(['default', 'pay']);
}, 120_000);
afterAll(() => console_?.stop());
afterEach(() => console_.settle());

const rows = (page: Page, table = 'Tasks') => page.getByRole('table', { name: table }).getByRole('row');
const total = (page: Page) => page.getByText(/^\d+\+? in total$/);
/** Of a tile of the overview, as soon as it has one. */
async function numberOf(tile: Locator): Promise<number> {
  const number = tile.locator('strong').filter({ hasText: /^\d+$/ });
  return Number(await number.textContent());
}

describe('a first run', () => {
  it('leads from nothing to a task that succeeded, without a reload', async () => {
    const page = await console_.visit('/');
    const steps = page.getByRole('region', { name: /First steps/i });
    await steps.waitFor();
    const done = () => steps.getByRole('img', { name: 'done' }).count();
    // Every installation begins with a group.
    await becomes(done, 1);
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    await steps.getByRole('button', { name: 'New group' }).click();
    await page.getByLabel('Group key').fill('shop');
    await page.getByRole('dialog').getByRole('button', { name: 'New group' }).click();
    await steps.getByText('npx evenkeel worker --group shop', { exact: true }).waitFor();
    const groups = ['default', 'pay', 'shop'];
    const { key, secret } = await console_.made('keys', { kind: 'worker', groups, label: 'first' });
    await console_.house.startWorker({ id: 'w1', slots: 4, groups, key: { accessKey: key.accessKey, secret } });
    await waitFor('the worker is ticked', async () => (await done()) === 2);
    await steps.getByRole('link', { name: /job/i }).first().click();
    await page.getByLabel('Key', { exact: true }).fill('first');
    await page.getByLabel('Handler').fill('echo');
    await page.keyboard.press('Escape');
    await page.getByText('Weekly', { exact: true }).click();
    await page.getByText('Daily', { exact: true }).click();
    const time = page.getByRole('textbox', { name: 'At', exact: true });
    await time.click();
    await time.fill('04:15');
    await page.keyboard.press('Enter');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await waitFor('it fires every day at that time', async () => {
      const fires = await preview.locator('[data-fire]').allTextContents();
      return fires.length === 10 && fires.every((text) => text.includes(' 04:15:00'));
    });
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await page.getByRole('heading', { name: /first/ }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await waitFor('the job is ticked', async () => (await done()) === 3);
    await steps.getByRole('link', { name: /Run it now/ }).click();
    await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'first' }).click();
    await page.getByRole('button', { name: /^Run now/ }).click();
    await page.getByRole('tab', { name: 'Tasks' }).click();
    const table = page.getByRole('table', { name: 'Tasks' });
    await table.getByText('Succeeded').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Late' }).first().waitFor();
    // With its last tick the list is gone.
    await steps.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => 'stayed' in window)).toBe(true);
    const { items } = await console_.read('jobs?q=first');
    expect(items[0]).toMatchObject({ key: 'first', group: 'shop' });
    expect((await console_.read(`jobs/${items[0].id}`)).definition.schedule).toMatchObject({ expression: '15 4 * * *' });
  });
});

describe('signing in', () => {
  it('brings one back to where one wanted to be, and tells nobody which of name and password was wrong', async () => {
    const page = await console_.visit('/tasks?state=FAILED&group=pay', { user: null });
    await page.getByLabel('User name').fill('nobody');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const said = await alert.textContent();
    await page.getByLabel('User name').fill('admin');
    const [refused] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/api/session') && each.request().method() === 'POST'),
      page.getByRole('button', { name: 'Sign in' }).click(),
    ]);
    expect(refused.status()).toBe(401);
    await becomes(() => alert.textContent(), said);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=FAILED&group=pay');
  });
});

describe('lists', () => {
  let failing: { id: string };
  beforeAll(async () => {
    failing = await console_.made('jobs', {
      key: 'failing',
      group: 'pay',
      handler: 'fail',
      schedule: { kind: 'manual' },
      retry: { kind: 'none' },
      overlap: 'allow',
      maxParallel: 50,
    });
    for (let n = 0; n < 25; n++) await console_.made(`jobs/${failing.id}/trigger`);
    await waitFor('all have failed', async () => {
      const answer = await (await console_.api()).get(`/api/tasks/counts?job=${failing.id}`);
      return answer.json.states.FAILED === 25;
    });
  });

  it('open from every tile of the overview with the same number', async () => {
    const page = await console_.visit('/overview?range=6h');
    for (const label of ['Late', /Failed/, /^Running/, /^Waiting/]) {
      const tile = page.getByRole('listitem').getByRole('link', { name: label }).first();
      const count = await numberOf(tile);
      await tile.click();
      await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
      await becomes(() => total(page).textContent(), `${count} in total`);
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(new URL(page.url()).search).toBe('?range=6h');
    }
  });

  it('open from the tile of what is due soon with the same number', async () => {
    // The second is due in an hour at the earliest, whatever the clock says now.
    for (const [everyMs, anchorAt] of [
      [300_000, undefined],
      [7_200_000, new Date(Date.now() + 3_600_000).toISOString()],
    ] as const)
      await console_.made('jobs', {
        key: `each-${everyMs}`,
        group: 'pay',
        handler: 'echo',
        schedule: { kind: 'every', everyMs, anchorAt },
      });
    const page = await console_.visit('/overview?range=24h');
    const tile = page.getByRole('listitem').getByRole('link', { name: /^Jobs due within 15 minutes/ });
    const count = await numberOf(tile);
    expect(count).toBeGreaterThan(0);
    await tile.click();
    await rows(page, 'Jobs').getByRole('link', { name: 'each-300000' }).waitFor();
    await becomes(() => rows(page, 'Jobs').count(), count + 1);
    expect(await page.getByRole('link', { name: 'each-7200000' }).count()).toBe(0);
    await page.goBack();
    await tile.waitFor();
    expect(new URL(page.url()).search).toBe('?range=24h');
  });

  it('look the same in another browser that opens the same address', async () => {
    const path = `/tasks?state=FAILED&group=pay&size=20`;
    const page = await console_.visit(path);
    await rows(page).nth(20).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/after=/);
    await waitFor('the second page is shown', async () => (await rows(page).count()) === 6);
    const shown = await rows(page).allInnerTexts();
    const other = await console_.visit(page.url());
    await becomes(() => rows(other).allInnerTexts(), shown);
    const detail = page.getByRole('table').getByRole('link').first();
    await detail.click();
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.waitForURL(/tab=attempts/);
    const third = await console_.visit(page.url());
    await third.getByRole('tab', { name: /Attempts/, selected: true }).waitFor();
  });

  it('are found by a param, as typed or suggested, and look the same where the address is opened', async () => {
    const { id } = await console_.made('jobs', { key: 'orders', group: 'pay', handler: 'echo', schedule: { kind: 'manual' } });
    const made: string[] = [];
    for (const paramsText of ['{"orderId":9007199254740993}', '{"orderId":9007199254740992}', '{"orderId":"9007199254740993"}'])
      made.push((await console_.made(`jobs/${id}/trigger`, { paramsText, force: true })).taskId);
    const page = await console_.visit('/tasks?group=pay');
    await rows(page).first().waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter tasks' });
    await filter.fill('orderId:9007199254740993');
    await page.locator('.ant-select-item-option').filter({ hasText: 'param.orderId:9007199254740993' }).click();
    await filter.press('Enter');
    await page.waitForURL(/param\.orderId=9007199254740993/);
    const links = (where: Page) => where.getByRole('table').locator('a[href*="/tasks/task_"]');
    const shown = async (where: Page) => {
      const found = await links(where).evaluateAll((all) =>
        all.map((link) => /task_\w+/.exec((link as HTMLAnchorElement).href)?.[0]),
      );
      return [...new Set(found)].sort().join();
    };
    const wanted = [made[0], made[2]].sort().join();
    await waitFor('two tasks are found', async () => (await shown(page)) === wanted);
    await page.getByText('2 in total').waitFor();
    const other = await console_.visit(page.url());
    await waitFor('another browser finds the same', async () => (await shown(other)) === wanted);
    await other.locator('.filter-chips').getByText('param.orderId').waitFor();
    await other
      .locator('.filter-chips .ant-tag')
      .filter({ hasText: 'param.orderId' })
      .getByRole('button', { name: /close/i })
      .click();
    await other.waitForURL((url) => !url.search.includes('param'));
    expect(new URL(other.url()).search).toBe('?group=pay');
    await rows(other).nth(3).waitFor();
  });

  it('keep their other filters when the state changes, and count with them', async () => {
    const page = await console_.visit(`/tasks?job=${failing.id}`);
    await rows(page).first().waitFor();
    const states = page.getByRole('group', { name: 'Filter by state' });
    await states.getByRole('button', { name: /Failed 25/ }).click();
    await page.waitForURL(/state=FAILED/);
    expect(page.url()).toContain(`job=${failing.id}`);
    await states.getByRole('button', { name: /Succeeded 0/ }).click();
    await page.waitForURL(/state=SUCCEEDED/);
    await states.getByRole('button', { name: /Failed 25/ }).waitFor();
    const gone = await console_.visit('/tasks?job=job_01jzzzzzzzzzzzzzzzzzzzzzzz', { expects: [400] });
    await gone.getByText('job_01jzzzzzzzzzzzzzzzzzzzzzzz').waitFor();
    await gone.getByRole('button', { name: /close/i }).click();
    await gone.waitForURL((url) => !url.search.includes('job='));
  });

  it('show one day until asked for more, and say so', async () => {
    const { dataSource } = await console_.house.look();
    const others = (await columnsOf(dataSource)).filter((name) => name !== 'id');
    const source = (await (await console_.api()).get(`/api/tasks?job=${failing.id}&limit=1`)).json.items[0].id as string;
    const old = firstIdAt('task', Date.now() - 10 * 86_400_000);
    const list = others.map((name) => `"${name}"`).join(', ');
    const values = others.map((name) => (name === 'handler' ? "'ancient'" : `"${name}"`)).join(', ');
    await dataSource.query(`INSERT INTO tasks (id, ${list}) SELECT '${old}', ${values} FROM tasks WHERE id = '${source}'`);
    const page = await console_.visit('/tasks?handler=ancient');
    await page.getByRole('button', { name: /7 days/ }).click();
    await page.waitForURL(/since=7d/);
    await page.getByRole('button', { name: /30 days/ }).click();
    await page.waitForURL(/since=30d/);
    await page.getByRole('table', { name: 'Tasks' }).getByText('failing').waitFor();

    const jumping = await console_.visit('/tasks?group=pay');
    await rows(jumping).nth(20).waitFor();
    await jumping.getByRole('button', { name: 'Jump to time' }).click();
    const nineDaysAgo = new Date(Date.now() - 9 * 86_400_000).toISOString().slice(0, 16);
    await jumping.getByLabel(/^Created at or before/).fill(nineDaysAgo);
    await jumping.getByRole('button', { name: 'Jump', exact: true }).click();
    await jumping.waitForURL((url) => url.searchParams.get('since') === '30d' && url.searchParams.has('after'));
    await waitFor('only the old one is left', async () => (await rows(jumping).count()) === 2);
    expect(await rows(jumping).nth(1).getAttribute('data-row')).toBe(old);
  });

  it('keep rows where they are while new ones arrive, count those, and ask for nothing while paused', async () => {
    const page = await console_.visit('/overview');
    // Its time can be moved on from here.
    await page.clock.install();
    await page.goto('/tasks?group=pay&handler=fail');
    await rows(page).nth(5).waitFor();
    await console_.arrived(page);
    const places = () =>
      rows(page).evaluateAll((all) => all.map((row) => `${row.getAttribute('data-row')} ${row.getBoundingClientRect().top}`));
    const before = await places();
    const fifth = rows(page).nth(5);
    const id = (await fifth.getAttribute('data-row')) as string;
    await fifth.getByRole('button', { name: `Actions – ${id}` }).click();
    const menu = page.getByRole('menu', { name: `Actions – ${id}` });
    await menu.getByRole('menuitem', { name: 'Retry', exact: true }).waitFor();
    // Other rows are about the same job: their texts change too, when this one is tried again.
    const attempt = fifth.locator('td.numeric').last();
    expect(await attempt.textContent()).toBe('1');
    for (let n = 0; n < 12; n++) await console_.made(`jobs/${failing.id}/trigger`);
    await console_.made(`tasks/${id}/retry`);
    const pill = page.getByRole('button', { name: /^12 new/ });
    await pill.waitFor();
    await waitFor('a row that is seen changes in its place', async () => (await attempt.textContent()) === '2');
    expect(await places()).toEqual(before);
    expect(
      await menu
        .getByRole('menuitem')
        .first()
        .evaluate((item) => item === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    const opener = fifth.getByRole('button', { name: /^Actions/ });
    await waitFor('the focus is back', () => opener.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Shift+F10');
    await page.keyboard.press('ArrowDown');
    await menu.getByRole('menuitem', { name: 'Quick look' }).press('Enter');
    await page.waitForURL(new RegExp(`peek=${id}`));
    await page.keyboard.press('Escape');
    await pill.click();
    await waitFor('the new rows are shown', async () => (await rows(page).count()) === before.length + 12);
    await page.getByRole('status', { name: /pause/i }).click();
    await console_.arrived(page);
    const asked: string[] = [];
    // Who is signed in is looked for whenever somebody comes back to the window.
    page.on('request', (request) => request.url().endsWith('/api/session') || asked.push(request.url()));
    for (const away of [true, false]) {
      await page.context().setOffline(away);
      await page.waitForFunction((gone) => navigator.onLine !== gone, away);
      await page.evaluate(() => {
        for (const name of ['blur', 'focus']) window.dispatchEvent(new Event(name));
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await page.clock.runFor(20_000);
    }
    expect(asked).toEqual([]);
    // While another browser is told three times, which takes seconds, this one asks nothing.
    const other = await console_.visit('/tasks?group=pay&handler=fail');
    await rows(other).nth(5).waitFor();
    let told = 0;
    other.on('response', (answer) => {
      if (answer.url().includes('/api/tasks?')) told += 1;
    });
    for (let n = 0; n < 3; n++) {
      const before = told;
      await console_.made(`jobs/${failing.id}/trigger`);
      await waitFor('the other browser is told', () => told > before);
    }
    expect(asked).toEqual([]);
    await page.getByRole('status', { name: /resume|go on/i }).click();
    await page.getByRole('button', { name: /^3 new/ }).waitFor();
  });

  it('are heard although the server is slower than its news', async () => {
    const page = await console_.visit('/tasks?group=pay&handler=fail');
    await rows(page).nth(5).waitFor();
    await page.route('**/api/tasks?*', async (route) => {
      await new Promise((done) => setTimeout(done, 2_500));
      await route.continue().catch(() => {});
    });
    let heard = false;
    const feeding = (async () => {
      while (!heard) await console_.made(`jobs/${failing.id}/trigger`);
    })();
    await page
      .getByRole('button', { name: / new/ })
      .waitFor({ timeout: 60_000 })
      .finally(() => {
        heard = true;
      });
    await feeding;
  });

  it('do not come back over a page that was opened meanwhile', async () => {
    const page = await console_.visit('/tasks');
    await rows(page).nth(1).waitFor();
    const late: Request[] = [];
    let answer = () => {};
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/api/tasks?*', async (route) => {
      late.push(route.request());
      await answered;
      // The page has given it up.
      await route.continue().catch(() => {});
    });
    await page
      .getByRole('group', { name: 'Filter by state' })
      .getByRole('button', { name: /Failed/ })
      .click();
    await waitFor('the list is asked for', () => late.length > 0);
    await page.getByRole('table', { name: 'Tasks' }).getByRole('link').first().click();
    await page.getByRole('tab', { name: 'Timeline' }).waitFor();
    await waitFor('the list is given up', () => late.every((request) => request.failure()?.errorText.includes('ABORTED')));
    const url = page.url();
    answer();
    await console_.arrived(page);
    await page.getByRole('tab', { name: 'Timeline' }).waitFor();
    expect(page.url()).toBe(url);
  });
});

async function columnsOf(dataSource: { query: (text: string) => Promise<{ name: string }[]> }): Promise<string[]> {
  return (await dataSource.query("SELECT name FROM pragma_table_info('tasks')")).map(({ name }) => name);
}
