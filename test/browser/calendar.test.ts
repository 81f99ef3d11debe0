import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  await house.house.startWorker({ id: 'w-1', slots: 8, groups: ['default', 'pay'] });
  const every = (key: string, handler: string, everyMs: number) =>
    house.made('jobs', { key, group: 'pay', handler, schedule: { kind: 'every', everyMs }, retry: { kind: 'none' } });
  await every('fails', 'fail', 1_000);
  for (let n = 0; n < 10; n++)
    await house.made('jobs', {
      key: `midnight-${n}`,
      group: 'default',
      handler: 'echo',
      schedule: { kind: 'cron', expression: '0 7 * * *', timeZone: 'America/New_York' },
    });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe('the calendar', () => {
  it('tells what failed, which jobs fire at once, and where clocks change, and leads to what is behind an hour', async () => {
    await waitFor('some have failed', async () => (await house.read('tasks/counts?state=FAILED')).total.count > 2);
    const page = await house.visit('/calendar');
    await page.getByText('Many jobs fire at the same instant').waitFor();
    const over = page.getByRole('row', { name: /^fails/ }).getByRole('link', { name: /\d+ failed/ });
    await over.first().waitFor();
    await over.first().click();
    await page.waitForURL(/\/tasks\?job=job_.*from=.*to=/);
    await waitFor('its tasks are listed', async () => (await page.locator('tr[data-row]').count()) > 2);

    await page.goto('/calendar?date=2027-03-14T00:00:00Z');
    await page.getByText('Clocks in America/New_York go forward by 60 minutes').waitFor();
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    await page.waitForURL(/group=pay/);
    await waitFor('only its jobs are told', async () => (await page.getByRole('row', { name: /^midnight/ }).count()) === 0);
  });

  it.each(['x', '2026-13-45', '99999-01-01'])('shows today for an address with the date %s', async (date) => {
    const page = await house.visit(`/calendar?date=${date}`);
    await page.getByRole('row', { name: /^midnight-0/ }).waitFor();
  });
});
