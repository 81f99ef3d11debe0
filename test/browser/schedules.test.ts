import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Backends } from '../../src/backends/backends.js';
import { stateOf } from '../../src/decisions/state-codes.js';
import { AdminBrowser, PASSWORD } from '../support/admin-browser.js';
import { Folder } from '../support/processes.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

const DAY_MS = 86_400_000;
const FIRST = 3;
/** Two days before the clocks go forward in New York, and at no moment any of the jobs fires. */
const SPRING = Date.parse('2026-03-06T12:03:30Z');
/** Two days before they go back. */
const AUTUMN = Date.parse('2026-10-30T12:03:30Z');
const ZONES = ['Asia/Shanghai', 'America/New_York', 'Europe/Berlin'];
const LEAP = '0 0 29 2 *';
const EXPRESSIONS = [
  '30 2 * * *',
  '0 2 * * SUN',
  '30 9 * * MON-FRI',
  '0 0 L * *',
  '0 20 LW * *',
  '15 10 ? * FRI#3',
  '0 18 * * FRIL',
  '*/7 3 * * *',
  '0 */6 * * *',
  '0 0 1,15 * *',
  '10 0 12 * * *',
  LEAP,
];

interface Seen {
  job: string;
  expression: string;
  zone: string;
  /** What the editor showed, in epoch milliseconds. */
  shown: number[];
}

let house: Console;
let backends: Backends;
let movedTo: number;
const folder = new Folder();
const clock = join(folder.path, 'clock');
/** The centre's clock only; the browser's stays. */
const moveTo = (at: number) => {
  movedTo = at;
  writeFileSync(clock, String(at - Date.now()));
};
beforeAll(async () => {
  moveTo(SPRING);
  house = await Console.start(['default'], { TEST_CLOCK_FILE: clock });
  backends = await house.house.look();
}, 120_000);
afterAll(async () => {
  await house?.stop();
  folder.remove();
});
afterEach(() => house.settle());

const preview = (page: Page) => page.getByRole('complementary', { name: 'Preview' });
const instantOf = (text: string): number => {
  const [, date, time, offset] = /^(\S+) (\S+) .*?([+-]\d\d:\d\d)$/.exec(text) ?? [];
  return Date.parse(`${date}T${time}${offset}`);
};
async function shownFires(page: Page): Promise<number[]> {
  return (await preview(page).locator('[data-fire]').allTextContents()).map(instantOf);
}
/** Sessions end while the clock is moved by months: this one begins after the move, which it waits for. */
async function admin(): Promise<AdminBrowser> {
  const browser = new AdminBrowser(house.url, {});
  await waitFor('a session begins by the moved clock', async () => {
    const { status, json } = await browser.post('/api/session', { username: 'admin', password: PASSWORD });
    expect(status).toBe(200);
    return Date.parse(json.expiresAt) > movedTo;
  });
  return browser;
}
async function create(by: AdminBrowser, key: string, schedule: object): Promise<string> {
  const rules = { misfire: 'fire_all', misfireWindowMs: 366 * DAY_MS, overlap: 'allow', maxParallel: 1_000 };
  const { status, text, json } = await by.post('/api/jobs', { key, group: 'default', handler: 'noop', schedule, ...rules });
  if (status >= 300) throw new Error(text);
  return json.id;
}
async function pause(jobs: readonly Seen[]): Promise<void> {
  const browser = await admin();
  for (const { job } of jobs) expect((await browser.post(`/api/jobs/${job}/pause`, {})).status).toBe(200);
}
/** Moves the clock and waits until all that has become due has been fired. */
async function fireUntil(at: number): Promise<void> {
  moveTo(at);
  await waitFor(
    'all due fires are made',
    async () => {
      const due = await backends.dialect.root.rows(`SELECT id FROM jobs WHERE next_fire_at <= ${at}`);
      return due.length === 0;
    },
    120_000,
  );
}
async function madeFor({ job }: Seen): Promise<number[]> {
  const rows = await backends.dialect.root.rows<{ fire_at: number; state: number }>(
    'SELECT fire_at, state FROM tasks WHERE job_id = ? ORDER BY fire_at LIMIT ?',
    [job, FIRST],
  );
  expect(rows.map(({ state }) => stateOf(state))).not.toContain('SKIPPED');
  return rows.map(({ fire_at }) => Number(fire_at));
}

describe('the fires an editor shows', () => {
  const seen: Seen[] = [];

  it('are those at which tasks are made, through the hour that does not exist', async () => {
    const by = await admin();
    const page = await house.visit('/jobs/new');
    await preview(page).locator('[data-fire]').nth(9).waitFor();
    await page.getByText('Expression', { exact: true }).first().click();
    const field = page.locator('input.mono[aria-label]').last();
    const zoneField = page.locator('#timeZone');
    for (const zone of ZONES) {
      await zoneField.click();
      await zoneField.fill(zone);
      await page.keyboard.press('Enter');
      for (const expression of EXPRESSIONS) {
        const [answer] = await Promise.all([
          page.waitForResponse((each) => {
            const asked = each.request().postData() ?? '';
            return each.url().endsWith('/jobs/preview') && asked.includes(JSON.stringify(expression)) && asked.includes(zone);
          }),
          field.fill(expression),
        ]);
        const { fires } = await answer.json();
        const wanted = fires.map(({ at }: { at: string }) => Date.parse(at)).join();
        await waitFor(`ten fires of ${expression} are shown`, async () => (await shownFires(page)).join() === wanted);
        const shown = await shownFires(page);
        expect(shown).toHaveLength(10);
        const schedule = { kind: 'cron', expression, timeZone: zone };
        seen.push({ job: await create(by, `spring-${seen.length}`, schedule), expression, zone, shown });
        if (expression === '30 2 * * *' && zone === 'America/New_York')
          await preview(page).getByText('shifted by daylight saving').waitFor();
        if (expression === LEAP) await preview(page).getByText('fires seldom').waitFor();
      }
      const sentence = preview(page).locator('strong').first();
      await becomes(() => sentence.textContent(), expect.stringMatching(new RegExp(`February.*\\(${zone}\\)$`)));
      await page.getByRole('button', { name: /切换为中文/ }).click();
      const chinese = page.getByRole('complementary', { name: '预览' }).locator('strong').first();
      await becomes(() => chinese.textContent(), expect.stringMatching(new RegExp(`[\u4e00-\u9fff].*（${zone}）`)));
      await page.getByRole('button', { name: /switch to English/ }).click();
      await preview(page).waitFor();
    }
    await page.close();
    const spring = seen.filter(({ expression }) => expression !== LEAP);
    for (let day = 1; day <= 4; day++) await fireUntil(SPRING + day * DAY_MS);
    await fireUntil(Date.parse('2026-06-01T12:00:00Z'));
    for (const each of spring)
      expect({ ...each, made: await madeFor(each) }).toEqual({ ...each, made: each.shown.slice(0, FIRST) });
    await pause(spring);
  }, 400_000);

  it('are those at which tasks are made, once or twice through the hour that comes twice', async () => {
    moveTo(AUTUMN);
    const by = await admin();
    const autumn: Seen[] = [];
    for (const overlap of ['once', 'twice'] as const) {
      const expression = '30 1 * * *';
      const zone = 'America/New_York';
      const id = await create(by, `autumn-${overlap}`, {
        kind: 'cron',
        expression,
        timeZone: zone,
        dst: { gap: 'skip', overlap },
      });
      const page = await house.visit(`/jobs/${id}/edit`);
      await preview(page).locator('[data-fire]').nth(9).waitFor();
      const badge = preview(page).getByText('repeated by daylight saving');
      await becomes(() => badge.count(), overlap === 'twice' ? 1 : 0);
      autumn.push({ job: id, expression, zone, shown: await shownFires(page) });
    }
    const [once, twice] = autumn as [Seen, Seen];
    expect(once.shown).not.toEqual(twice.shown);
    await fireUntil(AUTUMN + 5 * DAY_MS);
    for (const each of autumn) expect(await madeFor(each)).toEqual(each.shown.slice(0, FIRST));
    await pause(autumn);
  }, 200_000);

  it('are those at which tasks are made, on days that come every four years', async () => {
    const leap = seen.filter(({ expression }) => expression === LEAP);
    expect(leap).toHaveLength(ZONES.length);
    for (const year of [2028, 2032, 2036]) await fireUntil(Date.parse(`${year}-03-01T12:00:00Z`));
    for (const each of leap) expect(await madeFor(each)).toEqual(each.shown.slice(0, FIRST));
  }, 200_000);
});
