/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start();
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

it('a reason that people wrote turns no text around, wherever it is told', async () => {
  const reason = 'why \u202eabc';
  const job = await house.made('jobs', { key: 'paused', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
  await house.made(`jobs/${job.id}/pause`, { reason });
  await house.made('groups/default/hold', { reason });
  const bulk = await house.made('bulk', { kind: 'jobs.pause', filter: { ids: [job.id] }, reason: `${reason} all` });
  // It stands above every page.
  await house.made('settings/maintenance/hold', { reason: `${reason} for all` });
  const page = await house.visit('/groups');
  await page.locator('.status-strip').getByText('why ⟨U+202E⟩abc for all').waitFor();
  for (const path of ['groups', 'groups/default', 'overview', 'bulk', `bulk/${bulk.id}`, 'audit', `jobs/${job.id}`]) {
    await house.go(page, path);
    await page.getByText('why ⟨U+202E⟩abc').first().waitFor();
    const raw = await page.evaluate(
      () =>
        [...document.querySelectorAll('body, body [title], body [aria-label]')].filter((each) =>
          [each.textContent, each.getAttribute('title'), each.getAttribute('aria-label')].some((text) =>
            text?.includes('\u202e'),
          ),
        ).length,
    );
    expect([path, raw]).toEqual([path, 0]);
  }
});
