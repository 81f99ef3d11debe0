import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let receiver: Receiver;
let jobs: Map<string, string>;
beforeAll(async () => {
  receiver = await Receiver.listen();
  house = await Console.start(['default', 'pay'], LOOPBACK_CALLBACKS);
  await house.house.startWorker({ id: 'w1', groups: ['default', 'pay'], slots: 4 });
  await house.house.startWorker({ id: 'w2', groups: ['default', 'pay'], slots: 4 });
  jobs = new Map();
  for (const key of ['first', 'second', 'third'])
    jobs.set(key, (await house.made('jobs', { key, group: 'pay', handler: 'echo', schedule: { kind: 'manual' } })).id);
}, 120_000);
afterAll(async () => {
  await house?.stop();
  await receiver?.close();
});
afterEach(() => house.settle());

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const read = async (path: string): Promise<any> => (await (await house.api()).get(`/api/${path}`)).json;
const rowOf = (page: Page, id: string) => page.locator(`tr[data-row="${id}"]`);
const glance = (page: Page) => page.getByRole('complementary', { name: 'Quick look' });
const dialog = (page: Page) => page.getByRole('dialog');
const rowWithFocus = (page: Page) =>
  waitFor('a row has the focus', () => page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('data-row')));
/** The row that the keys are at. */
const isAt = (page: Page, id: string) =>
  waitFor(`the keys are at ${id}`, () =>
    page.evaluate((row) => document.activeElement?.closest('tr')?.getAttribute('data-row') === row, id),
  );

describe('the list of jobs by keys alone', () => {
  it('is walked, glanced at, and a job run and paused, each asked about first', async () => {
    const [third, second] = [jobs.get('third') as string, jobs.get('second') as string];
    const page = await house.visit('/jobs');
    await rowOf(page, third).waitFor();
    await page.keyboard.press('j');
    await isAt(page, third);
    await page.keyboard.press('j');
    await isAt(page, second);
    await page.keyboard.press('Space');
    await glance(page).getByRole('heading', { name: 'second' }).waitFor();
    await page.waitForURL(/peek=job_/);
    await page.keyboard.press('k');
    await glance(page).getByRole('heading', { name: 'third' }).waitFor();
    await page.keyboard.press('Escape');
    await glance(page).waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();

    await page.keyboard.press('r');
    await dialog(page).getByRole('button', { name: 'Run now' }).click();
    const { items } = await waitFor('it was run', async () => {
      const answer = await read(`tasks?job=${third}`);
      return answer.items.length > 0 && answer;
    });
    expect(items).toHaveLength(1);
    await dialog(page).waitFor({ state: 'detached' });
    await isAt(page, third);
    await page.keyboard.press('c');
    await dialog(page).getByRole('textbox').fill('by its key');
    await dialog(page).getByRole('button', { name: 'Pause' }).click();
    await waitFor('it is paused', async () => (await read(`jobs/${third}`)).state === 'paused');
    expect(await read(`jobs/${third}`)).toMatchObject({ pauseReason: 'by its key' });
    await dialog(page).waitFor({ state: 'detached' });
    await isAt(page, third);
    await page.keyboard.press('l');
    await page.waitForURL((url) => url.pathname.endsWith('/tasks') && url.searchParams.get('job') === third);
    await rowOf(page, items[0].id).waitFor();
  });

  it('opens a job, and offers the chosen ones as a file to import elsewhere', async () => {
    const page = await house.visit('/jobs');
    await rowOf(page, jobs.get('first') as string).waitFor();
    await rowOf(page, jobs.get('first') as string)
      .getByRole('checkbox')
      .check();
    await page.getByRole('link', { name: 'Export them' }).click();
    await page.waitForURL(/\/transfer\?.*job=job_/);
    await page.getByText('pay/first').waitFor();
    await page.goBack();
    await rowOf(page, jobs.get('third') as string).waitFor();
    await page.keyboard.press('j');
    await isAt(page, jobs.get('third') as string);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /third/ }).waitFor();
  });
});

describe('an address with values that are none', () => {
  it.each([
    ['jobs', 'kind', 'group=pay'],
    ['tasks', 'state', 'group=pay'],
    ['workers', 'state', 'handler=echo'],
    ['callbacks', 'state', 'since=7d'],
    ['audit', 'actorKind', 'group=pay'],
  ])('lists nothing of %s, asks for nothing, says so, and is put right at a click', async (list, filter, rest) => {
    const page = await house.visit('/me');
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes(`${filter}=FAILD`) && asked.push(request.url()));
    await house.go(page, `${list}?${filter}=FAILD&${rest}`);
    const note = page.getByRole('alert').filter({ hasText: 'filter values that do not exist' });
    await note.getByText(`${filter}: FAILD`).waitFor();
    await note.getByText(`${filter} must be one of`).waitFor();
    expect(await page.locator('tr[data-row]').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(Bulk|Move) / }).count()).toBe(0);
    await note.getByRole('button', { name: /close/i }).first().click();
    await note.waitFor({ state: 'detached' });
    await becomes(() => new URL(page.url()).search, `?${rest}`);
    expect(asked.filter((url) => url.includes('/api/'))).toEqual([]);
    await page.close();
  });
});

describe('a bulk action', () => {
  it('leads back to the list it was made from', async () => {
    const bulk = await house.made('bulk', { kind: 'jobs.resume', filter: { group: ['pay'], q: 'ir' }, reason: 'all of them' });
    const page = await house.visit(`/bulk/${bulk.id}`);
    await page.getByRole('link', { name: 'Jobs matching this filter' }).click();
    await page.waitForURL((url) => url.searchParams.get('group') === 'pay' && url.searchParams.get('q') === 'ir');
    await waitFor('those two alone', async () => (await page.locator('tr[data-row]').count()) === 2);
    await page.goBack();
    await page.getByRole('button', { name: /^Retry failed items .* – Nothing failed$/ }).waitFor();
  });

  it('is done again for what failed, with the same question first and a way back', async () => {
    const make = (group: string) =>
      house.made('jobs', { key: 'twice', group, handler: 'echo', owner: 'again', schedule: { kind: 'manual' } });
    const [mine, theirs] = [await make('pay'), await make('default')];
    const change = { group: 'default' };
    const bulk = await house.made('bulk', { kind: 'jobs.move', filter: { ids: [mine.id] }, change, reason: 'merge' });
    const page = await house.visit(`/bulk/${bulk.id}`);
    await page.getByText('0 done, 0 left out, 1 failed').waitFor();
    await page.getByText(/^[\d.]+ a second$/).waitFor();
    await (await house.api()).call('DELETE', `/api/jobs/${theirs.id}`);
    await page.getByRole('button', { name: /^Retry failed items/ }).click();
    await dialog(page).getByText('1 will be acted on').waitFor();
    await dialog(page).getByText('default', { exact: true }).waitFor();
    await dialog(page).getByRole('textbox').fill('it is gone');
    await dialog(page).getByRole('button', { name: 'Apply to 1' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(bulk.id));
    await page.getByText('1 done, 0 left out, 0 failed').waitFor();
    expect((await read(`jobs/${mine.id}`)).group).toBe('default');
    await page.getByRole('link', { name: 'What failed in an earlier action' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(bulk.id) && url.searchParams.get('outcome') === 'failed');
  });
});

describe('lists that a person arranges', () => {
  it('keep the columns that were chosen, each list its own', async () => {
    const page = await house.visit('/jobs');
    const header = page.getByRole('columnheader', { name: 'Owner' });
    await header.waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Owner' }).uncheck();
    await header.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('columnheader', { name: 'Next fire' }).waitFor();
    expect(await header.count()).toBe(0);
    await page.goto('/workers');
    await page.getByRole('columnheader', { name: 'State' }).waitFor();
    expect(await page.getByRole('button', { name: 'Columns' }).count()).toBe(1);
  });

  it.each([
    ['/jobs', 'jobs.csv', /,first,echo,/],
    ['/audit', 'audit.csv', /,job\.created,job,/],
  ])('go out as a file of what the filter finds (%s)', async (path, name, holds) => {
    const page = await house.visit(path);
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /^CSV/ }).click()]);
    expect(file.suggestedFilename()).toBe(name);
    expect(readFileSync(await file.path(), 'utf8')).toMatch(holds);
  });
});

describe('other lists by keys alone', () => {
  it('a worker is glanced at, and drained only with a reason', async () => {
    const page = await house.visit('/workers');
    await rowOf(page, 'w1').waitFor();
    await rowOf(page, 'w2').waitFor();
    await page.keyboard.press('j');
    const id = await rowWithFocus(page);
    await page.keyboard.press('Space');
    await glance(page).getByRole('heading', { name: id }).waitFor();
    await glance(page).getByText('1.', { exact: false }).first().waitFor();
    await page.keyboard.press('c');
    const drain = dialog(page).getByRole('button', { name: 'Drain' });
    await drain.waitFor();
    expect(await drain.isDisabled()).toBe(true);
    await dialog(page).getByRole('textbox').fill('new kernel');
    await drain.click();
    await waitFor('it is drained', async () => (await read(`workers/${id}`)).drainAsked);
    await glance(page).getByRole('button', { name: /^Undo/ }).waitFor();
  });

  it('an entry of the audit log shows all it says, and leads to what was changed', async () => {
    const id = jobs.get('first') as string;
    const page = await house.visit(`/audit?objectId=${id}&action=job.created`);
    await page.getByTitle(id).first().waitFor();
    await page.keyboard.press('j');
    await rowWithFocus(page);
    await page.keyboard.press('Space');
    await glance(page).getByRole('rowheader', { name: 'Handler' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /first/ }).waitFor();
  });

  it('an entry of the audit log tells states in words and instants in the zone shown, and its change opens all of it', async () => {
    const { id } = await house.made('jobs', { key: 'told', group: 'pay', handler: 'echo', schedule: { kind: 'manual' } });
    await house.made(`jobs/${id}/pause`, { reason: 'for a while' });
    await house.made('groups/pay/hold', { reason: 'stocktaking', until: '2099-01-02T03:04:05Z' });
    const chinese = await house.visit(`/audit?objectId=${id}&action=job.paused`, { language: 'zh-CN' });
    await chinese.getByRole('link', { name: '状态 启用 → 已暂停 另 1 项' }).waitFor();
    const page = await house.visit('/audit?objectId=pay&action=group.held');
    const line = page.getByRole('table', { name: 'Audit' }).getByRole('link', { name: /^On hold/ });
    expect(await line.getAttribute('title')).toContain('On hold until [heldUntil]: 2099-01-02 11:04:05');
    await line.click();
    const change = glance(page).getByRole('row').filter({ hasText: 'On hold until' });
    expect(await change.getByTitle('heldUntil').count()).toBe(1);
    await change.getByText('2099-01-02 11:04:05').waitFor();
    expect(await glance(page).textContent()).not.toContain('T03:04:05');
    await house.made('groups/pay/release');
  });

  it('what is glanced at lies beside the page, under what stands above it', async () => {
    await house.made('groups/default/hold', { reason: 'so that there is something wrong' });
    const page = await house.visit(`/jobs?peek=${jobs.get('first')}`);
    await glance(page).getByRole('heading', { name: 'first' }).waitFor();
    const strip = page.getByRole('complementary', { name: 'Current problems' });
    await strip.waitFor();
    const [above, beside] = [await strip.boundingBox(), await glance(page).boundingBox()];
    expect(beside?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    expect((beside?.y ?? 0) + (beside?.height ?? 0)).toBeLessThanOrEqual(1_000);
    await house.made('groups/default/release');
  });

  it('a delivery shows its attempts, and leads to its task', async () => {
    const partner = (target: string, body: unknown) => signedRequest(house.url, house.house.appKey, 'POST', target, body);
    const endpoint = (await partner('/openapi/v1/webhook-endpoints', { url: receiver.url('/hook') })).body;
    await waitFor('it is proven', async () => (await read(`callbacks/endpoints/${endpoint.id}`)).state === 'ENABLED');
    const task = (await partner('/openapi/v1/tasks', { handler: 'echo', params: {} })).body.id as string;
    const { id } = await waitFor('it is delivered', async () => {
      const [delivery] = (await read(`callbacks/deliveries?task=${task}`)).items;
      return delivery?.state === 'SUCCEEDED' && delivery;
    });
    const page = await house.visit('/callbacks');
    await rowOf(page, id).waitFor();
    await page.keyboard.press('j');
    await isAt(page, id);
    await page.keyboard.press('Space');
    await glance(page).getByText('HTTP 200').first().waitFor();
    await page.keyboard.press('l');
    await page.waitForURL((url) => url.pathname.endsWith(`/tasks/${task}`));
  });
});
