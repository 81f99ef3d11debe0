import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['pay']);
  await house.house.startWorker({ id: 'w1', slots: 4 });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const read = async (path: string): Promise<any> => (await (await house.api()).get(`/api/${path}`)).json;

describe('making up for the past', () => {
  it('tells the fires of the span before any task is made, and then how far it is', async () => {
    const { id } = await house.made('jobs', {
      key: 'hourly',
      group: 'pay',
      handler: 'echo',
      schedule: { kind: 'cron', expression: '30 * * * *' },
      timeZone: 'Asia/Shanghai',
    });
    const page = await house.visit(`/jobs/${id}?tab=schedule`);
    await page.getByText('No backfills yet').waitFor();
    await page.getByRole('button', { name: /^Backfill…/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('24 fires').waitFor();
    expect(await dialog.getByLabel('From (inclusive)').inputValue()).toMatch(/:00:00\.000\+08:00$/);
    await dialog.getByLabel('From (inclusive)').fill('2026-03-01T00:00:00+08:00');
    await dialog.getByLabel('Until (exclusive)').fill('2026-03-01T03:00:00+08:00');
    await dialog.getByText('3 fires').waitFor();
    await becomes(() => dialog.locator('time').first().getAttribute('datetime'), '2026-02-28T16:30:00.000Z');
    expect((await read(`tasks?job=${id}`)).items).toEqual([]);
    await dialog.getByLabel('Unfinished tasks at once').fill('2');
    await dialog.getByLabel(/Reason/).fill('the source was late');
    await dialog.getByRole('button', { name: 'Backfill…' }).click();
    const table = page.getByRole('region', { name: 'Backfills' }).last();
    await table.getByText('3/3').waitFor({ timeout: 60_000 });
    await waitFor('its tasks have run', async () => {
      const { items } = await read(`tasks?job=${id}&trigger=backfill&state=SUCCEEDED`);
      return items.length === 3;
    });
    await page.getByRole('link', { name: 'Tasks of backfills' }).click();
    await page.waitForURL(/trigger=backfill/);
    await waitFor(
      'they are listed',
      async () => (await page.getByRole('table', { name: 'Tasks' }).locator('tbody tr').count()) === 3,
    );
  });

  it('says why a span is refused, and is not offered where nothing fires by the clock', async () => {
    const cron = await house.made('jobs', {
      key: 'cron',
      group: 'pay',
      handler: 'echo',
      schedule: { kind: 'every', everyMs: 1_000 },
    });
    const page = await house.visit(`/jobs/${cron.id}?tab=schedule`, { expects: [400] });
    await page.getByRole('button', { name: /^Backfill…/ }).click();
    // A day of seconds is more than one backfill takes.
    await page.getByRole('dialog').getByRole('alert').waitFor();
    const manual = await house.made('jobs', { key: 'manual', group: 'pay', handler: 'echo', schedule: { kind: 'manual' } });
    await page.goto(`/jobs/${manual.id}?tab=schedule`);
    await page.getByRole('tab', { name: 'Schedule', selected: true }).waitFor();
    await house.arrived(page);
    expect(await page.getByRole('button', { name: /^Backfill…/ }).count()).toBe(0);
  });
});
