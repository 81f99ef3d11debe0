import { createWorker, type EvenkeelWorker } from '@evenkeel/sdk/worker';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

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
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDir: house.house.folder().path,
  }).handle('talk', (_, ctx) => {
    say = (text) => ctx.log.info(text);
    for (let n = 1; n <= 120; n++) ctx.log.info(`order ${n} took ${n * 7} ms`);
    ctx.log.error('\u001B[31mbank\u001B[0m <img src=x onerror=alert(1)> refused');
    return new Promise<null>((done) => (end = () => done(null)));
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
    await log.evaluate((list) => {
      list.scrollTop = 0;
    });
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

    // What turns the direction of writing turns its own line at most.
    say('\u202Eturned\u2067 as it came');
    const turned = log.locator('bdi').filter({ hasText: 'as it came' });
    await turned.waitFor();
    expect(await turned.textContent()).toBe('\u202Eturned\u2067 as it came');
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
    expect(await lines.count()).toBe(11);
    const fourth = await lines.nth(3).textContent();
    await lines.nth(3).getByRole('link').click();
    await page.waitForURL(/line=/);
    const other = await house.visit(page.url());
    const theirs = other.getByRole('list', { name: 'Logs' });
    const marked = theirs.locator('[aria-current="true"]');
    await marked.waitFor();
    expect(await marked.textContent()).toBe(fourth);
    expect(await theirs.getByRole('listitem').count()).toBe(11);
  });

  it('says which pattern is none', async () => {
    const { items } = await house.read('tasks?handler=talk');
    const page = await house.visit(`/tasks/${items[0].id}?tab=logs&lre=1&lq=${encodeURIComponent('(unclosed')}`, {
      expects: [400],
    });
    await page.getByText(/must be a pattern/).waitFor();
  });
});
