import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let strip: string;
beforeAll(async () => {
  house = await Console.start(['default', 'nobody']);
  await house.house.startWorker({ id: 'w1', slots: 8, groups: ['default'] });
  const job = (key: string, handler: string, more: object = {}) =>
    house.made('jobs', { key, group: 'default', handler, schedule: { kind: 'manual' }, timeoutMs: 600_000, ...more });
  const run = async ({ id }: { id: string }, paramsText?: string): Promise<string> =>
    (await house.made(`jobs/${id}/trigger`, { paramsText })).taskId;
  const stateOf = async (id: string) => (await house.read(`tasks/${id}`)).state;
  await run(await job('late', 'echo', { group: 'nobody' }));
  await run(await job('succeeds', 'echo'));
  const mixed = await job('fails', 'fail', { retry: { kind: 'none' } });
  strip = mixed.id;
  await run(mixed);
  const long = await job('runs', 'sleep', { overlap: 'skip' });
  const first = await run(long, '{"ms":500000}');
  await waitFor('it runs', async () => (await stateOf(first)) === 'RUNNING');
  await run(long, '{"ms":500000}');
  const cancelled = await run(await job('is-cancelled', 'sleep'), '{"ms":500000}');
  await waitFor('it runs', async () => (await stateOf(cancelled)) === 'RUNNING');
  await house.made(`tasks/${cancelled}/cancel`);
  const queued = await job('waits', 'sleep', { overlap: 'queue' });
  await run(queued, '{"ms":500000}');
  await run(queued, '{"ms":500000}');
  await waitFor('each state is there', async () => {
    const { states } = await house.read('tasks/counts');
    const wanted = { PENDING: 1, BLOCKED: 1, RUNNING: 2, SUCCEEDED: 1, FAILED: 1, SKIPPED: 1, CANCELLED: 1 };
    return Object.entries(wanted).every(([state, count]) => states[state] === count);
  });
}, 180_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const FAMILIES = ['waiting', 'running', 'succeeded', 'failed', 'late', 'skipped', 'cancelled'];

/** Whether the element is seen at all: the picture without it is another. */
async function isDrawn(page: Page, selector: string): Promise<boolean> {
  const element = page.locator(selector).first();
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) return false;
  const look = () => page.screenshot({ clip: box, animations: 'disabled' });
  const shown = await look();
  await element.evaluate((each) => {
    (each as unknown as { style: { visibility: string } }).style.visibility = 'hidden';
  });
  const without = await look();
  await element.evaluate((each) => {
    (each as unknown as { style: { visibility: string } }).style.visibility = '';
  });
  return !shown.equals(without);
}
const drawn = (page: Page, selector: string) => waitFor(`${selector} is drawn`, () => isDrawn(page, selector));

describe.each([
  ['light', 'en'],
  ['dark', 'zh-CN'],
] as const)('with colours forced by the system (%s, %s)', (theme, language) => {
  it('the seven states are told apart by shape and word, and what was drawn in colour is still drawn', async () => {
    const page = await house.visit('/tasks', { theme, language });
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme, reducedMotion: 'reduce' });
    await waitFor('the late one is late', async () => (await page.locator('td .state-tag.state-late').count()) > 0);
    const looks = await Promise.all(
      FAMILIES.map((family) =>
        page
          .locator(`td .state-tag.state-${family}`)
          .first()
          .evaluate((tag) => ({ icon: tag.querySelector('svg')?.innerHTML, word: tag.querySelector('span')?.textContent })),
      ),
    );
    expect(new Set(looks.map(({ icon }) => icon)).size).toBe(7);
    expect(new Set(looks.map(({ word }) => word)).size).toBe(7);
    for (const family of FAMILIES) await drawn(page, `td .state-tag.state-${family} svg`);
    // And in the colours of the console, for one who sees none.
    const devtools = await page.context().newCDPSession(page);
    await page.emulateMedia({ forcedColors: 'none', colorScheme: theme, reducedMotion: 'reduce' });
    await devtools.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' });
    for (const family of FAMILIES) await drawn(page, `td .state-tag.state-${family} svg`);
    await devtools.send('Emulation.setEmulatedVisionDeficiency', { type: 'none' });
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme, reducedMotion: 'reduce' });
    await page.goto(`/jobs/${strip}`);
    await page.locator('.strip a').first().waitFor();
    await page.locator('.day-cell[data-kind="failed"]').first().waitFor();
    await drawn(page, '.strip a');
    await drawn(page, '.day-cell[data-kind="failed"]');
    await page.goto('/groups/default');
    await page.locator('.bar-fill').first().waitFor();
    await drawn(page, '.bar-fill');
  });
});
