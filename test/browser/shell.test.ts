import type { Page, Request } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

let house: Console;
let job: { id: string };
let task: string;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  await house.house.startWorker({ id: 'w1', slots: 8 });
  job = await house.made('jobs', {
    key: 'ledger',
    group: 'pay',
    handler: 'fail',
    schedule: { kind: 'manual' },
    retry: { kind: 'none' },
    overlap: 'allow',
    maxParallel: 50,
  });
  for (let n = 0; n < 6; n++) task = (await house.made(`jobs/${job.id}/trigger`)).taskId;
  await waitFor('all have failed', async () => {
    const { json } = await (await house.api()).get(`/api/tasks/counts?job=${job.id}`);
    return json.states.FAILED === 6;
  });
  await house.made('users', { username: 'viewer', password: PASSWORD, role: 'viewer' });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const dialog = (page: Page) => page.getByRole('dialog');
const lines = (page: Page) => dialog(page).getByRole('option');
const rows = (page: Page) => page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-row') ?? null);

describe('the search', () => {
  it('finds by id and by part of a name, goes there, and remembers where one was', async () => {
    const page = await house.visit('/overview');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await dialog(page).getByRole('combobox').fill(task);
    await dialog(page).getByRole('option', { selected: true }).filter({ hasText: task }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/tasks/${task}$`));
    await page.keyboard.press('Control+k');
    await lines(page).filter({ hasText: task }).waitFor();
    await dialog(page).getByRole('combobox').fill('edge');
    await lines(page).filter({ hasText: 'ledger' }).first().waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await dialog(page).getByRole('combobox').fill('w1');
    await dialog(page).getByRole('option', { selected: true }).filter({ hasText: 'w1' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workers\/w1$/);
  });

  it('does what is allowed after asking, and offers a viewer nothing to do', async () => {
    const page = await house.visit('/overview');
    await page.getByRole('button', { name: /^Search/ }).click();
    await dialog(page).getByRole('combobox').fill('ledger');
    await lines(page).filter({ hasText: 'Pause ledger' }).click();
    await dialog(page).getByRole('textbox').fill('from the search');
    await dialog(page).getByRole('button', { name: 'Pause ledger' }).click();
    const state = async () => (await (await house.api()).get(`/api/jobs/${job.id}`)).json.state;
    await waitFor('it is paused', async () => (await state()) === 'paused');
    await house.made(`jobs/${job.id}/resume`);
    const viewer = await house.visit('/overview', { user: 'viewer' });
    await viewer.getByRole('button', { name: /^Search/ }).click();
    await dialog(viewer).getByRole('combobox').fill('ledger');
    await lines(viewer).filter({ hasText: 'ledger' }).first().waitFor();
    expect(await dialog(viewer).getByRole('group', { name: 'Actions' }).count()).toBe(0);
    expect(await lines(viewer).filter({ hasText: 'Pause' }).count()).toBe(0);
  });
});

describe('the strip of what is wrong', () => {
  it('is there only while something is, and leads to it', async () => {
    const page = await house.visit('/tasks');
    await rows(page).first().waitFor();
    const strip = page.getByRole('complementary', { name: 'Current problems' });
    expect(await strip.count()).toBe(0);
    await house.made('groups/pay/hold', { reason: 'stocktaking' });
    await page.reload();
    await strip.getByText('Group pay is on hold').waitFor();
    await strip.getByRole('link').click();
    await page.waitForURL(/\/groups\/pay$/);
    await house.made('groups/pay/release');
    await strip.waitFor({ state: 'detached', timeout: 90_000 });
  });

  it('names all that something is wrong with, a few of many in the line and the rest where one looks closer', async () => {
    const names = ['held-a', 'held-b', 'held-c', 'held-d', 'held-e'];
    for (const key of names) await house.made('groups', { key });
    for (const key of names.slice(0, 3)) await house.made(`groups/${key}/hold`, { reason: 'stocktaking' });
    const page = await house.visit('/tasks');
    const strip = page.getByRole('complementary', { name: 'Current problems' });
    await strip.getByText('3 groups are on hold: held-a, held-b, held-c', { exact: true }).waitFor();
    for (const key of names.slice(3)) await house.made(`groups/${key}/hold`, { reason: 'stocktaking' });
    await waitFor('the server tells of all', async () => (await house.read('notices')).notices[0]?.count === 5);
    await page.reload();
    await strip.getByText('5 groups are on hold: held-a, held-b, held-c and 2 more', { exact: true }).waitFor();
    const whole = '5 groups are on hold: held-a, held-b, held-c, held-d, held-e';
    const look = strip.getByRole('link', { name: `View: ${whole}` });
    await look.focus();
    await page.getByRole('tooltip').getByText(whole, { exact: true }).waitFor();
    await look.click();
    await page.waitForURL(/\/groups$/);
    for (const key of names) await house.made(`groups/${key}/release`);
    await strip.waitFor({ state: 'detached', timeout: 90_000 });
  });

  it('says when it cannot be learnt who is signed in, and goes on when asked to try again', async () => {
    const page = await house.visit('/me', { alone: true, expects: [500] });
    const broken = { status: 500, contentType: 'application/json', body: '{}' };
    await page.route('**/api/session', (route) => route.fulfill(broken));
    await page.reload({ waitUntil: 'commit' });
    const again = page.getByRole('alert').getByRole('button', { name: /again/i });
    await again.waitFor();
    await page.unroute('**/api/session');
    await again.click();
    await again.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const others = house.complaints.splice(0).filter((text) => !text.includes('ApiError: Internal Server Error'));
    expect(others).toEqual([]);
  });

  it('tells of a new version of the console, and loads it when asked', async () => {
    const page = await house.visit('/overview');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.route('**/api/notices', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), console: 'index-newer.js' } });
    });
    await page.reload();
    const strip = page.getByRole('complementary', { name: 'Current problems' });
    await strip.getByText('A new version of the console is available').waitFor();
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    await page.unroute('**/api/notices');
    await strip.getByRole('button', { name: 'Reload' }).click();
    await page.waitForFunction(() => !('stayed' in window));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});

describe('a page that is loaded', () => {
  it.each([
    ['/tasks', 'Tasks', /\/api\/tasks\?/],
    ['/overview', 'Overview', /\/api\/overview$/],
  ])('asks for what %s shows without waiting for the session', async (path, name, question) => {
    const page = await house.visit('/me');
    await page.getByRole('heading', { level: 1 }).waitFor();
    let tell: () => void = () => {};
    const told = new Promise<void>((resolve) => (tell = resolve));
    await page.route('**/api/session', async (route) => {
      await told;
      await route.continue();
    });
    const asked = page.waitForRequest(question);
    await page.goto(path);
    await asked;
    tell();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.unroute('**/api/session');
  });
});

describe('what a person prefers', () => {
  it('is the page they begin with, and whether anything is updated by itself', async () => {
    const page = await house.visit('/me');
    await page.getByRole('radiogroup', { name: 'Start page' }).getByText('Jobs').click();
    await page.getByRole('radiogroup', { name: 'Update interval' }).getByText('Off').click();
    await page.getByRole('status', { name: /^Paused/ }).waitFor();
    await page.goto(new URL('./', page.url()).href);
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.getByRole('status', { name: /^Paused/ }).waitFor();
  });
});

describe('a list by keyboard', () => {
  it('is walked through, chosen from, glanced at and opened', async () => {
    const page = await house.visit(`/tasks?job=${job.id}`);
    await rows(page).nth(5).waitFor();
    const ids = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await becomes(() => focusedRow(page), ids[1]);
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press(' ');
    await page.waitForURL(new RegExp(`peek=${ids[1]}`));
    const glance = page.getByRole('complementary', { name: 'Quick look' });
    await glance.getByText('Failed').first().waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(new RegExp(`peek=${ids[2]}`));
    const other = await house.visit(page.url());
    await other.getByRole('complementary', { name: 'Quick look' }).waitFor();
    await page.keyboard.press('Escape');
    await glance.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await dialog(page).getByText('Retry a task; run a job now').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await waitFor('the row has the focus again', async () => (await focusedRow(page)) === ids[2]);
    await page.keyboard.press('l');
    await page.waitForURL(new RegExp(`/tasks/${ids[2]}\\?tab=logs`));
    // The list stays until the other page is there.
    await page.getByRole('region', { name: 'Logs' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await rows(page).nth(5).waitFor();
    expect(await focusedRow(page)).toBeNull();
    await page.keyboard.press('j');
    await becomes(() => focusedRow(page), ids[0]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/tasks/${ids[0]}$`));
  });

  it('hides columns and keeps that, and exports what the filter finds', async () => {
    const page = await house.visit(`/tasks?job=${job.id}`);
    const head = page.getByRole('columnheader', { name: 'Worker' });
    await head.waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Worker' }).uncheck();
    await head.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.reload();
    await rows(page).nth(5).waitFor();
    expect(await head.count()).toBe(0);
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /^CSV/ }).click()]);
    expect(file.suggestedFilename()).toBe('tasks.csv');
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    expect(text.startsWith('\uFEFFid,state,group,')).toBe(true);
    expect(text.trim().split('\r\n')).toHaveLength(7);
    expect(text).toContain(',Asia/Shanghai,');
  });
});

describe('several tabs of one browser', () => {
  it('share one stream, and another takes it over when the one that held it is closed', async () => {
    const first = await house.visit('/tasks');
    await first.getByRole('status', { name: /^Live/ }).waitFor();
    const context = first.context();
    let streams = 0;
    /** Those that are open, and who holds them: two for a moment, when two tabs miss the one before in the same instant. */
    const open = new Map<Request, Page>();
    context.on('request', (request) => {
      if (!request.url().includes('/api/stream')) return;
      streams += 1;
      open.set(request, request.frame().page());
    });
    context.on('requestfailed', (request) => open.delete(request));
    context.on('requestfinished', (request) => open.delete(request));
    const holders = () => [...open.values()].filter((page) => !page.isClosed());
    const [second, third] = [await context.newPage(), await context.newPage()];
    for (const page of [second, third]) {
      await page.goto('/tasks');
      await page.getByRole('status', { name: /^Live/ }).waitFor();
      // What comes from now on is new to it.
      await rows(page).nth(5).waitFor();
    }
    expect(streams).toBe(0);
    await house.made(`jobs/${job.id}/trigger`);
    for (const page of [second, third]) await page.getByRole('button', { name: /new/ }).waitFor();
    await first.close({ runBeforeUnload: true });
    await waitFor('another tab holds the stream', async () => holders().length > 0);
    for (const page of [second, third]) await page.getByRole('button', { name: /new/ }).click();
    await house.made(`jobs/${job.id}/trigger`);
    for (const page of [second, third]) await page.getByRole('button', { name: /^One new|^2 new/ }).waitFor();
    await waitFor('one alone holds it', async () => holders().length === 1);
    const [heir] = holders() as [Page];
    const rest = heir === second ? third : second;
    expect([second, third]).toContain(heir);
    await heir.close({ runBeforeUnload: true });
    await waitFor('the last one holds it', async () => holders().length === 1 && holders()[0] === rest);
    await rest.getByRole('status', { name: /^Live/ }).waitFor();
    expect(streams).toBeLessThan(5);
  });
});

describe('a stream that has fallen silent', () => {
  it('is told to be stale after two missed beats, though its connection is open', async () => {
    const page = await house.visit('/overview', { alone: true });
    await page.clock.install();
    await page.reload();
    await page.getByRole('status', { name: /^Live/ }).waitFor();
    // Whoever asks for another stream now waits for it.
    await page.route('**/api/stream*', () => {});
    // Time stands still from then on, so nothing grows older while this waits.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 36_000);
    await page.getByRole('status', { name: /^Stale/ }).waitFor();
  });
});

describe('what needs attention', () => {
  it('is snoozed for the person alone, and stands beside the figures of other hours', async () => {
    await house.made('groups', { key: 'snoozed', maxRunning: 1 });
    await house.made('groups/snoozed/hold', { reason: 'moving house' });
    const page = await house.visit('/overview');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const item = attention.getByRole('listitem').filter({ hasText: 'snoozed' });
    await item.waitFor();
    await item.getByRole('button', { name: /^Snooze/ }).click();
    await page.getByRole('menuitem', { name: 'Hide for an hour' }).click();
    await item.waitFor({ state: 'detached' });
    await page.reload();
    await attention.getByText(/snoozed, for you alone/).waitFor();
    expect(await item.count()).toBe(0);
    const other = await house.visit('/overview');
    await other.getByRole('region', { name: 'Needs attention' }).getByText('snoozed').first().waitFor();
    await attention.getByRole('button', { name: 'Show all' }).click();
    await item.waitFor();
    const compared = page.getByRole('region', { name: 'Compared with other hours' }).getByRole('row', { name: /^Failed/ });
    await waitFor('the failures are counted', async () => /[1-9]/.test((await compared.textContent()) ?? ''));
    await page.getByRole('region', { name: 'Groups that got worse' }).waitFor();
    await house.made('groups/snoozed/release');
  });
});
