/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start();
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

/** How many elements have a mark in their text or in what is told of them. */
const rawMarks = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('body, body [title], body [aria-label]')].filter((each) =>
        [each.textContent, each.getAttribute('title'), each.getAttribute('aria-label')].some((text) => text?.includes('\u202e')),
      ).length,
  );

it('a reason that people wrote turns no text around, wherever it is told', async () => {
  const reason = 'why \u202eabc';
  const job = await house.made('jobs', { key: 'paused', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
  await house.made(`jobs/${job.id}/pause`, { reason });
  await house.made('groups/default/hold', { reason });
  const bulk = await house.made('bulk', { kind: 'jobs.pause', filter: { ids: [job.id] }, reason: `${reason} all` });
  const label = `${reason} key`;
  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await house.made('keys', { kind: 'worker', groups: ['default'], label, expiresAt });
  // It stands above every page.
  await house.made('settings/maintenance/hold', { reason: `${reason} for all` });
  const page = await house.visit('/groups');
  await page.locator('.status-strip').getByText('why ⟨U+202E⟩abc for all').waitFor();
  for (const path of ['overview', 'alerts']) {
    await house.go(page, path);
    await page.getByRole('link', { name: 'why ⟨U+202E⟩abc key' }).waitFor();
    expect([path, await rawMarks(page)]).toEqual([path, 0]);
  }
  await house.go(page, 'overview');
  await page.getByRole('button', { name: /Snooze.*why ⟨U\+202E⟩abc key/ }).waitFor();
  for (const path of ['groups', 'groups/default', 'overview', 'bulk', `bulk/${bulk.id}`, 'audit', `jobs/${job.id}`]) {
    await house.go(page, path);
    await page.getByText('why ⟨U+202E⟩abc').first().waitFor();
    expect([path, await rawMarks(page)]).toEqual([path, 0]);
  }
});

it('the editor turns nothing around: an expression that is refused, and what two people wrote at once', async () => {
  const cron = { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' };
  const { id, definition } = await house.made('jobs', { key: 'both', group: 'default', handler: 'echo', schedule: cron });
  const page = await house.visit('/jobs/new', { expects: [400, 409, 422] });
  await page.locator('.ant-segmented-item', { hasText: /^Expression$/ }).click();
  await page.locator('input.mono[aria-label]').last().fill('0 3 * * M\u202eO');
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByRole('alert').waitFor();
  await preview.getByText('M⟨U+202E⟩O').first().waitFor();
  expect(await rawMarks(page)).toBe(0);

  await house.go(page, `jobs/${id}/edit`);
  await page.getByLabel('Owner').fill('mi\u202ene');
  const theirs = { owner: 'the\u202eirs', overlap: 'queue', schedule: { ...cron, expression: '0 4 * * *' } };
  expect((await (await house.api()).call('PUT', `/api/jobs/${id}`, { ...definition, ...theirs, version: 1 })).status).toBe(200);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const radio = (name: string | RegExp) => page.getByRole('dialog').getByRole('radio', { name });
  await radio('owner, Theirs: the⟨U+202E⟩irs').waitFor();
  await radio('owner, Yours: mi⟨U+202E⟩ne').waitFor();
  await radio('overlap, Theirs: Queue').waitFor();
  await radio('overlap, Yours: Skip').waitFor();
  await radio(/^schedule\.expression, Theirs: .*04:00.* · 0 4 \* \* \*$/).waitFor();
  expect(await rawMarks(page)).toBe(0);
});
