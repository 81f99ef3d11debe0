/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { Console } from '../browser/support/console.js';
import { freePort } from '../support/free-port.js';
import { waitFor } from '../support/wait-for.js';

/** The whole centre is away, as its process is, and comes back: what those see who have a page open. */
const AWAY_MS = 20_000;
const BROWSERS = 3;
/** What a list and the frame around it ask for when they ask for everything. */
const AT_ONCE = 12;

let house: Console;
let port: number;
let job: { id: string };
beforeAll(async () => {
  port = await freePort();
  house = await Console.start(['default'], { PORT: String(port) });
  await house.house.startWorker({ id: 'w1', slots: 8 });
  job = await house.made('jobs', {
    key: 'steady',
    group: 'default',
    handler: 'echo',
    schedule: { kind: 'manual' },
    overlap: 'allow',
    maxParallel: 50,
  });
  for (let n = 0; n < 12; n++) await house.made(`jobs/${job.id}/trigger`);
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const rows = (page: Page) => page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
const isStream = (url: string) => url.includes('/api/stream');
const perSecond = (times: readonly number[]): number => {
  const seconds = new Map<number, number>();
  for (const at of times) seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
  return Math.max(0, ...seconds.values());
};

describe('a centre that is killed, and started again after twenty seconds', () => {
  it('is told with the age of what is shown, and comes back without a reload, one try a second, and no storm', async () => {
    const pages: { page: Page; asked: { at: number; url: string }[]; before: (string | null)[] }[] = [];
    for (let n = 0; n < BROWSERS; n++) {
      const page = await house.visit('/tasks');
      await rows(page).nth(11).waitFor();
      await page.getByRole('status', { name: /^Live/ }).waitFor();
      await waitFor('all have ended', async () => (await rows(page).filter({ hasText: 'Succeeded' }).count()) === 12);
      await page.evaluate(() => Object.assign(window, { stayed: true }));
      const asked: { at: number; url: string }[] = [];
      page.on('request', (request) => asked.push({ at: Date.now(), url: request.url() }));
      const before = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
      pages.push({ page, asked, before });
    }
    const killedAt = Date.now();
    await house.house.node('n1').process.kill();
    for (const { page } of pages) await page.getByRole('status', { name: /^Stale/ }).waitFor();
    await waitFor('it has been away for long enough', () => Date.now() - killedAt >= AWAY_MS, 2 * AWAY_MS);
    const mendedAt = Date.now();
    for (const { page, before } of pages) {
      const stale = page.getByRole('status', { name: /^Stale/ });
      const age = Number(/Stale ([\d.]+) s/.exec((await stale.textContent()) ?? '')?.[1]);
      expect(age).toBeGreaterThanOrEqual(AWAY_MS / 1_000 - 2);
      expect(await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))).toEqual(before);
    }
    await house.house.startNode('n1', { PORT: String(port), LOG_LEVEL: 'warn' });
    for (const { page } of pages) {
      await page.getByRole('status', { name: /^Live/ }).waitFor();
      expect(await page.evaluate(() => 'stayed' in window)).toBe(true);
    }
    await house.made(`jobs/${job.id}/trigger`);
    for (const { page } of pages) await page.getByRole('button', { name: /^One new/ }).waitFor();
    const steps = pages.map(({ asked }) => {
      const tries = asked.filter(({ url }) => isStream(url)).map(({ at }) => at);
      const away = tries.filter((at) => at < mendedAt);
      // Tried again and again, never twice in a second.
      expect(away.length).toBeGreaterThanOrEqual(4);
      expect(perSecond(away)).toBeLessThanOrEqual(1);
      expect(perSecond(asked.filter(({ at, url }) => at >= mendedAt && !isStream(url)).map(({ at }) => at))).toBeLessThanOrEqual(
        AT_ONCE,
      );
      const gaps = away.slice(1).map((at, i) => at - (away[i] as number));
      return [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] as number;
    });
    process.stderr.write(`\nthe stream is tried every ${steps.map((ms) => `${ms} ms`).join(', ')} of ${BROWSERS} browsers\n`);
    // Each at a pace of its own.
    expect(Math.max(...steps) - Math.min(...steps)).toBeGreaterThan(50);
    house.complaints.splice(
      0,
      house.complaints.length,
      ...house.complaints.filter((text) => !/ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET|NETWORK)/.test(text)),
    );
  }, 300_000);
});
