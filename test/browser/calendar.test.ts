import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

const HOUR = 3_600_000;
const PILE = 300;

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'pay', 'night']);
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
    await page.getByText('Many jobs fire at the same instant', { exact: true }).waitFor();
    const over = page.getByRole('row', { name: /^fails/ }).getByRole('link', { name: /\d+ failed/ });
    // Another hour may have begun since the first has failed.
    const [, told] = /(\d+) failed/.exec((await over.first().getAttribute('aria-label')) ?? '') ?? [];
    await over.first().click();
    await page.waitForURL(/\/tasks\?job=job_.*from=.*to=/);
    const least = Math.min(Number(told), 20);
    expect(least).toBeGreaterThan(0);
    await waitFor('its tasks are listed', async () => (await page.locator('tr[data-row]').count()) >= least);

    await page.goto('/calendar?date=2027-03-14T00:00:00Z');
    await page.getByText('Clocks in America/New_York go forward by 60 minutes').waitFor();
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.locator('.ant-select-item-option', { hasText: 'pay' }).click();
    await page.waitForURL(/group=pay/);
    await waitFor('only its jobs are told', async () => (await page.getByRole('row', { name: /^midnight/ }).count()) === 0);
  });

  it('has the date over the hours of each day, keeps it in sight, and says that a week is scrolled', async () => {
    const page = await house.visit('/calendar?span=week&date=2027-03-01T00:00:00Z&group=default', { language: 'zh-CN' });
    const dates = page.locator('.hour-map thead th.hour-day');
    await dates.first().waitFor();
    const texts = await dates.allTextContents();
    expect(texts.length).toBeGreaterThanOrEqual(7);
    for (const text of texts) expect(text).toMatch(/^(\d{4}-)?\d\d-\d\d 周[一二三四五六日]$/);
    const hours = await page.locator('.hour-map thead tr').nth(1).locator('th').allTextContents();
    expect(hours).toHaveLength(168);
    for (const hour of hours) expect(hour).toMatch(/^\d\d$/);
    await page.getByText('左右滚动可查看其余时段').waitFor();
    const map = page.locator('section.table-scroll');
    // Ten hours into the second day.
    const shift = await map.evaluate((section) => {
      const [names, , second] = section.querySelectorAll<HTMLElement>('thead tr:first-child th');
      const [at, width] = [(second as HTMLElement).offsetLeft, (names as HTMLElement).offsetWidth];
      section.scrollLeft = at - width + 340;
      return section.scrollLeft;
    });
    expect(shift).toBeGreaterThan(0);
    const [frame, names, date] = await Promise.all(
      [map, page.locator('.hour-map thead th').first(), dates.nth(1).locator('span')].map((each) => each.boundingBox()),
    );
    if (!frame || !names || !date) throw new Error('not on the page');
    expect(date.x).toBeGreaterThanOrEqual(names.x + names.width);
    expect(date.x).toBeLessThan(names.x + names.width + 20);

    await page.goto('/calendar?date=2027-03-01T00:00:00Z&group=default');
    await page.setViewportSize({ width: 1_920, height: 1_000 });
    await dates.first().waitFor();
    await page.getByText('左右滚动可查看其余时段').waitFor({ state: 'detached' });
  });

  it('marks the hour in which something has not ended', async () => {
    const schedule = { kind: 'every', everyMs: 1_000 };
    await house.made('jobs', { key: 'goes-on', group: 'pay', handler: 'sleep', schedule, paramsText: '{"ms":300000}' });
    await waitFor('it has begun', async () => (await house.read('tasks/counts?state=RUNNING')).total.count > 0);
    const page = await house.visit('/calendar?group=pay');
    const over = page.getByRole('row', { name: /^goes-on/ }).getByRole('link', { name: / 1 unfinished/ });
    await over.first().waitFor();
    expect(await over.first().textContent()).toContain('…');
    await page.getByText('unfinished: still waits or runs').waitFor();
    await page.getByText('numbers are fires in that hour').waitFor();
  });

  it.each(['x', '2026-13-45', '2026-02-30', '99999-01-01'])(
    'shows today for an address with the date %s, and says that it is none',
    async (date) => {
      const page = await house.visit(`/calendar?date=${date}`);
      await page.getByRole('row', { name: /^midnight-0/ }).waitFor();
      const told = page.getByRole('alert').filter({ hasText: `date: ${date}` });
      await told.getByText('date is not a valid time').waitFor();
      await told.getByRole('button').click();
      await told.waitFor({ state: 'hidden' });
      await page.waitForURL((url) => url.search === '');
    },
  );

  it('shows a pile-up at midnight as one hot hour with its count, names a few of its jobs, and draws no more rows than one reads', async () => {
    const make = (n: number) =>
      house.made('jobs', {
        key: `pile-${String(n).padStart(3, '0')}`,
        group: 'night',
        handler: 'echo',
        schedule: { kind: 'cron', expression: '0 0 1 6 *', timeZone: 'UTC', ...(n < 20 ? { jitterMs: 600_000 } : {}) },
      });
    for (let n = 0; n < PILE; n += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => make(n + i)));
    const page = await house.visit('/calendar?date=2027-06-01T00:00:00Z&group=night');
    const hot = page.getByRole('row', { name: /^All/ }).getByRole('link', { name: /300 jobs at one instant/ });
    await hot.waitFor();
    expect(await hot.textContent()).toBe('300▲');
    const notice = page.locator('.ant-alert', { hasText: 'Many jobs fire at the same instant' });
    await notice.getByText('add jitter').waitFor();
    await notice.getByText('20 of them have jitter').waitFor();
    await becomes(() => notice.getByRole('link', { name: /^pile-/ }).count(), 10);

    const rows = page.locator('.hour-map tbody tr');
    await becomes(() => rows.count(), 1 + 100);
    await page.getByText('100 of 300 jobs are shown').waitFor();
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await becomes(() => rows.count(), 1 + 200);

    await notice.getByRole('link', { name: 'and 290 more' }).click();
    await page.waitForURL(/\/jobs\?.*firesBefore=2027-06-01/);
    await waitFor('a page of them is listed', async () => (await page.locator('tr[data-row]').count()) > 2);
    expect(await page.locator('tr[data-row]').count()).toBeLessThan(PILE);
    await page.getByText('pile-000').first().waitFor();
  });

  it('tells that a partner had paused a job from a fire that did not come, and by which key', async () => {
    const { appKey } = house.house;
    const partner = (target: string, body?: object) =>
      signedRequest(house.url, appKey, 'POST', `/openapi/v1/jobs${target}`, body);
    const schedule = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' };
    const { id } = (await partner('', { key: 'moved-away', group: 'default', handler: 'echo', schedule })).body;
    await partner(`/${id}/pause`, { reason: 'we move' });
    await partner(`/${id}/resume`);
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    const { root } = (await house.house.look()).dialect;
    await root.run("UPDATE system_settings SET setting_json = '0' WHERE setting_name = 'partner_acts_since'", []);
    await root.run('UPDATE jobs SET created_at = ?, updated_at = ? WHERE id = ?', [hour - 5 * HOUR, hour - 5 * HOUR, id]);
    for (const [action, at] of [
      ['job.created', hour - 5 * HOUR],
      ['job.paused', hour - 4 * HOUR + 1],
      ['job.resumed', hour - 2 * HOUR + 1],
    ] as const)
      await root.run('UPDATE audit_log SET logged_at = ? WHERE object_id = ? AND action = ?', [at, id, action]);
    const from = new Date(hour - 6 * HOUR).toISOString();
    const past = async () =>
      (await house.read(`calendar?from=${from}&group=default`)).jobs.find((job: { id: string }) => job.id === id)?.past ?? [];
    const paused = (hours: { paused: number }[]) => hours.filter((each) => each.paused === 1).length;
    await waitFor('the node knows since when it is recorded', async () => paused(await past()) === 2);

    const page = await house.visit(`/calendar?date=${from}&group=default`);
    const row = page.getByRole('row', { name: /^moved-away/ });
    await becomes(() => row.getByRole('link', { name: /paused: one did not fire/ }).count(), 2);
    expect(await row.getByRole('link', { name: /one fire has no task, nobody knows why/ }).count()).toBeGreaterThan(1);
    expect(await row.locator('td[data-outside="before"]').count()).toBe(1);
    await page.getByText('the job was paused then').waitFor();
    await row
      .getByRole('link', { name: /paused: one did not fire/ })
      .first()
      .click();
    await page.waitForURL(/tab=audit/);
    const entry = page.getByRole('row', { name: /Job paused/ });
    await entry.getByText('we move').first().waitFor();
    await entry.getByTitle(`key:${appKey.accessKey}`).waitFor();

    await page.goto('/audit');
    await page.getByRole('combobox', { name: 'Kind of actor' }).click();
    await page.locator('.ant-select-item-option', { hasText: 'Partner' }).click();
    await page.waitForURL(/actorKind=partner/);
    await waitFor('only partners are listed', async () => {
      const all = await page.locator('tr[data-row]').count();
      return all >= 3 && (await page.locator('tr[data-row]').getByTitle(`key:${appKey.accessKey}`).count()) === all;
    });
  });
});
