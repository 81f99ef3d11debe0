import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay']);
  await house.house.startWorker({ id: 'w1', slots: 8, groups: ['default', 'pay'] });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe('the page of a group', () => {
  it('draws what ran at once against its quota, and what ended, of this group alone', async () => {
    const { id } = await house.made('jobs', {
      key: 'long',
      group: 'pay',
      handler: 'sleep',
      schedule: { kind: 'manual' },
      overlap: 'allow',
      maxParallel: 5,
      timeoutMs: 600_000,
    });
    const started: string[] = [];
    for (let n = 0; n < 3; n++) started.push((await house.made(`jobs/${id}/trigger`, { paramsText: '{"ms":500000}' })).taskId);
    await waitFor(
      'a sample has seen all three',
      async () => {
        const { buckets } = await house.read('overview/charts?range=24h&group=pay');
        return buckets.some(({ running }: { running: number | null }) => running === 3);
      },
      90_000,
    );
    expect(
      (await house.read('overview/charts?range=24h&group=default')).buckets.some((bucket: { running: number }) => bucket.running),
    ).toBe(false);
    const page = await house.visit('/groups/pay');
    const use = page.getByRole('region', { name: 'Running at once, and the quota' });
    await use.getByRole('img').waitFor();
    await page.getByRole('region', { name: 'Oldest waiting' }).waitFor();
    await use.getByRole('button', { name: 'View as table' }).click();
    const { maxRunning } = await house.read('groups/pay');
    await use
      .getByRole('row', { name: new RegExp(` 3 ${maxRunning}$`) })
      .first()
      .waitFor();
    await page.getByText('1 h', { exact: true }).click();
    await waitFor('the range is in the URL', () => new URL(page.url()).searchParams.get('range') === '1h');
    for (const task of started) await house.made(`tasks/${task}/cancel`);
  });
});

describe('the settings', () => {
  it('change the default routing for a reason, and nothing for who may only look', async () => {
    const before = (await house.read('settings/routing')).routing;
    const page = await house.visit('/settings');
    const part = page.getByRole('region', { name: 'Default routing' });
    await part.getByRole('button', { name: /Change.*nothing is changed/ }).waitFor();
    await part.getByRole('combobox').click();
    await page.locator('.ant-select-item-option', { hasText: 'Round robin' }).click();
    await part.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('to compare');
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await waitFor('it is set', async () => (await house.read('settings/routing')).routing === 'round_robin');
    const { items } = await house.read('audit?action=settings.routing_changed');
    expect(items[0]).toMatchObject({ reason: 'to compare', before: { routing: before }, after: { routing: 'round_robin' } });
  });
});
