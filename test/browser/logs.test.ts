/// <reference lib="dom" />
import { createWorker, type EvenkeelWorker } from '@evenkeel/sdk/worker';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

/** What means something in a URL, in HTML, and to nobody. */
const ODD = '发送 a/b?c=d&e#f%41%+g 🚢 <b>x';

let house: Console;
let worker: EvenkeelWorker;
let say: (text: string) => void = () => {};
let end: () => void = () => {};
beforeAll(async () => {
  house = await Console.start();
  const { accessKey, secret } = house.house.workerKey;
  worker = createWorker({
    centre: [house.url],
    key: accessKey,
    secret,
    groups: ['default'],
    workerId: 'own',
    slots: 4,
    drainMs: 500,
    tags: [ODD],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDir: house.house.folder().path,
  }).handle('talk', (_, ctx) => {
    say = (text) => ctx.log.info(text);
    for (let n = 1; n <= 120; n++) ctx.log.info(`order ${n} took ${n * 7} ms`);
    ctx.log.error('\u001B[31mbank\u001B[0m <img src=x onerror=alert(1)> refused');
    return new Promise<null>((done) => (end = () => done(null)));
  });
  worker
    .handle(ODD, () => null)
    .handle('flood', (_, ctx) => {
      const line = 'x'.repeat(200);
      for (let n = 1; n <= 6_000; n++) ctx.log.info(`${n} ${line}`);
      return null;
    });
  await worker.start();
}, 120_000);
afterAll(async () => {
  end();
  await worker?.stop();
  await house?.stop();
});
afterEach(() => house.settle());

describe('the log of a task that runs', () => {
  it('is searched by a pattern, coloured as a terminal colours it, and stands still while one reads', async () => {
    const job = await house.made('jobs', { key: 'talks', group: 'default', handler: 'talk', schedule: { kind: 'manual' } });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    const page = await house.visit(`/tasks/${id}?tab=logs`);
    const log = page.getByRole('list', { name: 'Logs' });
    const lines = log.getByRole('listitem');
    const bank = log.getByText('bank', { exact: true });
    await bank.waitFor();
    expect(await bank.getAttribute('class')).toBe('ansi-red');
    await log.getByText('<img src=x onerror=alert(1)> refused').waitFor();
    expect(await log.locator('img').count()).toBe(0);
    const atEnd = () => log.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 40);
    await waitFor('the end is seen', atEnd);

    // Whoever scrolls back is left there; whoever is at the end follows.
    await log.evaluate(
      (list) =>
        new Promise((seen) => {
          list.addEventListener('scroll', seen, { once: true });
          list.scrollTop = 0;
        }),
    );
    say('while one reads above');
    await log.getByText('while one reads above').waitFor();
    expect(await log.evaluate((list) => list.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Stop following' }).click();
    const held = await lines.count();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/logs') && asked.push(request.url()));
    say('while one has stopped');
    await waitFor('it is kept', async () =>
      JSON.stringify(await house.read(`tasks/${id}/logs?tail=true`)).includes('has stopped'),
    );
    await page.getByRole('button', { name: 'Follow again' }).waitFor();
    expect(await lines.count()).toBe(held);
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Follow again' }).click();
    await log.getByText('while one has stopped').waitFor();

    // What would turn the direction of writing is told by name.
    say('\u202Eturned\u2067 as it came');
    const turned = log.locator('bdi').filter({ hasText: 'as it came' });
    await turned.waitFor();
    expect(await turned.textContent()).toBe('⟨U+202E⟩turned⟨U+2067⟩ as it came');
    say(`much ${'x'.repeat(1_000_000)}`);
    const long = log.locator('bdi').filter({ hasText: 'much x' });
    await long.waitFor();
    expect((await long.textContent())?.length).toBeGreaterThan(1_000);

    await page.getByRole('checkbox', { name: 'Regular expression' }).check();
    await page.getByRole('searchbox', { name: 'Find in the logs' }).fill('^order (9|1\\d) took');
    await page.getByRole('searchbox', { name: 'Find in the logs' }).press('Enter');
    await waitFor('eleven are found', async () => (await lines.count()) === 11);
    expect(new URL(page.url()).searchParams.get('lre')).toBe('1');
    await page.getByRole('checkbox', { name: 'Wrap' }).uncheck();
    await waitFor('lines are as long as they are', async () => (await log.getAttribute('data-wrap')) === 'false');
    await becomes(() => lines.count(), 11);
    const fourth = await lines.nth(3).textContent();
    await lines.nth(3).getByRole('link').click();
    await page.waitForURL(/line=/);
    const other = await house.visit(page.url());
    const theirs = other.getByRole('list', { name: 'Logs' });
    const marked = theirs.locator('[aria-current="true"]');
    await marked.waitFor();
    await becomes(() => marked.textContent(), fourth);
    await becomes(() => theirs.getByRole('listitem').count(), 11);
  });

  it('says which pattern is none', async () => {
    const { items } = await house.read('tasks?handler=talk');
    const page = await house.visit(`/tasks/${items[0].id}?tab=logs&lre=1&lq=${encodeURIComponent('(unclosed')}`, {
      expects: [400],
    });
    await page.getByText(/must be a pattern/).waitFor();
  });
});

describe('a log beyond what is kept of an attempt', () => {
  it('opens at its end, which says so, and leads back to what was before', async () => {
    const job = await house.made('jobs', { key: 'floods', group: 'default', handler: 'flood', schedule: { kind: 'manual' } });
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`);
    await waitFor('it has ended', async () => (await house.read(`tasks/${id}`)).state === 'SUCCEEDED');
    const page = await house.visit('/overview');
    const asked: string[] = [];
    page.on('response', (answer) => answer.url().includes(`/${id}/logs`) && asked.push(answer.url()));
    await house.go(page, `tasks/${id}?tab=logs`);
    const log = page.getByRole('list', { name: 'Logs' });
    await log.getByRole('listitem').last().getByText('log limit of 1 MiB reached').waitFor();
    // One answer with the end of it, not the whole.
    expect(asked).toHaveLength(1);
    expect(await log.getByText(/^1 x/).count()).toBe(0);
    await waitFor('the end is seen', () => log.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 40));
    const first = await log.getByRole('listitem').first().textContent();
    await page.getByRole('button', { name: 'Older lines' }).click();
    await waitFor('older lines', async () => (await log.getByRole('listitem').first().textContent()) !== first);
    expect((await house.read(`tasks/${id}/logs`)).lines[0].message).toMatch(/^1 x/);
  });
});

describe('names that mean something elsewhere', () => {
  it('lead to what they name, from every page that names it', async () => {
    const { id: appId } = await house.made('apps', { name: ODD, defaultGroup: 'default' });
    await house.made('keys', { kind: 'partner', app: appId, label: ODD });
    const schedule = { kind: 'manual' };
    const odd = { key: 'odd', group: 'default', handler: ODD, schedule, owner: ODD, tags: [ODD], description: ODD };
    const job = await house.made('jobs', odd);
    const { taskId: id } = await house.made(`jobs/${job.id}/trigger`, { reason: ODD });
    const { id: single } = await house.house.client().submit(ODD, {});
    for (const each of [id, single])
      await waitFor('it has ended', async () => (await house.read(`tasks/${each}`)).state === 'SUCCEEDED');
    const value = encodeURIComponent(ODD);
    const page = await house.visit('/overview');
    const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
    const alone = async () => {
      await rows.getByRole('link', { name: 'odd', exact: true }).waitFor();
      await waitFor('nothing else is found', async () => (await rows.count()) === 1);
    };
    for (const name of ['handler', 'owner', 'tag']) {
      await house.go(page, `jobs?${name}=${value}`);
      await alone();
      await house.go(page, 'jobs');
      await page.getByRole('searchbox').first().fill(`${name}:"${ODD}"`);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.searchParams.get(name) === ODD);
      await alone();
    }
    const from = ['jobs', `jobs/${job.id}`, `jobs/${job.id}?tab=config`, `jobs/${job.id}?tab=audit`, 'tasks', `tasks/${id}`]
      .concat(['tasks?by=job', 'workers', 'workers/own', 'groups', 'groups/default', 'keys', 'keys/rejected', 'callbacks'])
      .concat(['callbacks?tab=endpoints', 'users', 'audit', 'graph?view=list', `tasks?handler=${value}`]);
    const places = new Map<string, string>();
    for (const path of from) {
      await house.go(page, path);
      for (const href of await page.locator('main a[href]').evaluateAll(linksThatSay, ODD))
        if (!places.has(href)) places.set(href, path);
    }
    const wrong: string[] = [];
    for (const [href, path] of places) {
      const { pathname, search } = new URL(href);
      await house.go(page, `${pathname}${search}`.slice(1));
      const shown = (await page.locator('main').textContent()) ?? '';
      if (page.url() !== href || !shown.includes(ODD) || /no such|not found/i.test(shown)) wrong.push(`${path} → ${href}`);
    }
    expect(wrong).toEqual([]);
    expect(places.size).toBeGreaterThan(0);
    await house.go(page, 'tasks?by=job');
    await page.getByRole('button', { name: ODD, exact: true }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('handler') === ODD && !searchParams.has('by'));
    await page.locator(`tr[data-row="${single}"]`).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(ODD);
    await page.getByRole('dialog').getByRole('option').filter({ hasText: ODD }).first().click();
    await page.waitForURL(/\/keys/);
    await page.getByText(ODD).first().waitFor();
  });
});

/** Runs in the page: where those lead that are called by the name or carry it. */
function linksThatSay(links: Element[], name: string): string[] {
  const found = (links as HTMLAnchorElement[]).filter(({ pathname, search, textContent }) => {
    const carried = [...new URLSearchParams(search).values(), ...pathname.split('/').map(decodeURIComponent)];
    return carried.includes(name) || textContent?.includes(name);
  });
  return [...new Set(found.map(({ href }) => href))];
}
