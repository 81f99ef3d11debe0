import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

const JOBS = 300;
let from: Console;
let to: Console;
let text: string;
beforeAll(async () => {
  [from, to] = await Promise.all([Console.start(['default', 'pay']), Console.start(['default'])]);
  const jobs = Array.from({ length: JOBS }, (_, n) => ({
    group: n % 2 ? 'pay' : 'default',
    key: `job-${String(n).padStart(3, '0')}`,
    handler: 'echo',
    paramsText: `{"n":${n},"big":9007199254740993}`,
    schedule: n % 3 ? { kind: 'cron', expression: `${n % 60} 2 * * *`, timeZone: 'Asia/Shanghai' } : { kind: 'manual' },
    ...(n % 30 === 7 ? { upstreams: [`job-${String(n - 2).padStart(3, '0')}`] } : {}),
    description: '导出 & "import" <b>',
  }));
  const file = { schema: 'evenkeel.configuration', schemaVersion: 1, groups: [], jobs };
  const { errors } = await from.made('import', { fileText: JSON.stringify(file) });
  expect(errors).toEqual([]);
}, 180_000);
afterAll(async () => {
  await from?.stop();
  await to?.stop();
});
afterEach(async () => {
  await from.settle();
  await to.settle();
});

async function download(page: Page): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the file' }).click(),
  ]);
  return readFileSync(await file.path(), 'utf8');
}
const choose = (page: Page, content: string) =>
  page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'all.json', mimeType: 'application/json', buffer: Buffer.from(content) });
const check = (page: Page) => page.getByRole('button', { name: 'Check (writes nothing)' }).click();
const rowsOf = (page: Page) => page.getByRole('region', { name: 'Object by object' }).getByRole('row');

describe('the configuration as a file', () => {
  it('goes out of one installation, into an empty one, and comes out byte for byte', async () => {
    text = await download(await from.visit('/transfer'));
    expect(JSON.parse(text).jobs).toHaveLength(JOBS);
    expect(text).not.toMatch(/secret|whsec_|job_[0-9A-Z]{26}/i);
    const page = await to.visit('/transfer?tab=import');
    await choose(page, text);
    await check(page);
    await page.getByText(`Create ${JOBS + 1}`).waitFor();
    await page.getByRole('button', { name: /^Apply$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${JOBS + 1} to create`).waitFor();
    expect(await dialog.getByText('to overwrite').count()).toBe(0);
    await dialog.getByLabel(/Reason/).fill('move');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(`${JOBS + 1} created, `).waitFor({ timeout: 120_000 });
    expect(await download(await to.visit('/transfer'))).toBe(text);
    const { items } = (await (await to.api()).get('/api/jobs?limit=200')).json;
    expect(items.length).toBeGreaterThan(100);
    for (const job of items) expect(job).toMatchObject({ state: 'paused', nextFireAt: null });
  });

  it('is refused whole for its errors, each told with line and column; what differs is told field by field', async () => {
    const file = JSON.parse(text);
    file.jobs[0].handler = 'other';
    file.jobs[1].description = 'changed';
    file.jobs.push({ group: 'pay', key: 'bad-cron', handler: 'echo', schedule: { kind: 'cron', expression: '61 * * * *' } });
    file.jobs.push({ group: 'nowhere', key: 'lost', handler: 'echo', schedule: { kind: 'manual' } });
    const bad = JSON.stringify(file, null, 2);
    const placeOf = (part: string) => {
      const lines = bad.slice(0, bad.indexOf(part)).split('\n');
      return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
    };
    const page = await to.visit('/transfer?tab=import');
    await choose(page, bad);
    await check(page);
    await page.getByText('The file has 2 errors; nothing was written').waitFor();
    const errors = page.getByRole('region', { name: 'Errors in the file' });
    await becomes(() => errors.getByRole('row').count(), 3);
    await errors.getByRole('button', { name: placeOf('"61 * * * *"') }).click();
    const marked = () =>
      page.getByLabel('Text of the file').evaluate((area) => {
        const { value, selectionStart, selectionEnd } = area as unknown as HTMLTextAreaElement;
        return value.slice(selectionStart, selectionEnd);
      });
    await becomes(marked, '"61 * * * *"');
    const lost = errors.getByRole('row').filter({ has: page.getByRole('button', { name: placeOf('"nowhere"') }) });
    await lost.getByText('Neither in the file nor in this installation').waitFor();
    await becomes(() => page.getByRole('button', { name: /^Apply/ }).getAttribute('aria-disabled'), 'true');
    await page.getByText('Conflict: skip 2').click();
    await waitFor('the two that differ', async () => (await rowsOf(page).count()) === 3);
    const told = await rowsOf(page).allTextContents();
    expect(told[1]).toMatch(/handler: "echo" → "other"/);
    expect(told[2]).toMatch(/description: .* → "changed"/);
  });

  it('is told apart from a text that is no JSON at all, pasted or from a file, with the first place and what was expected', async () => {
    const page = await to.visit('/transfer?tab=import');
    const field = page.getByLabel('Text of the file');
    await choose(page, '{"schema": "evenkeel.configuration",\n "jobs": [{"key" "a"}]}');
    await check(page);
    await page.getByText('The text is neither valid JSON nor YAML; nothing was written').waitFor();
    const errors = page.getByRole('region', { name: 'Errors in the file' });
    await errors.getByText('Not JSON: expected a member name in double quotes and a colon after /jobs/0').waitFor();
    await errors.getByRole('button', { name: 'line 2, column 12' }).waitFor();
    await field.fill('hello');
    await check(page);
    await errors.getByText('it must be a JSON object (or a YAML mapping) with the member "schema"').waitFor();
    await errors.getByRole('button', { name: 'line 1, column 1' }).waitFor();
    await field.fill('{"jobs": []}');
    await check(page);
    await errors.getByText('The member "schema": "evenkeel.configuration" is missing').waitFor();
  });

  it('has each label stand clear of its field', async () => {
    for (const path of ['/transfer', '/transfer?tab=import&from=xxl-job']) {
      const page = await to.visit(path);
      const labels = page.locator('.transfer-form label[for]');
      await labels.first().waitFor();
      const gaps = await labels.evaluateAll((all) =>
        all.map((label) => {
          const field = label.nextElementSibling as Element;
          return field.getBoundingClientRect().top - label.getBoundingClientRect().bottom;
        }),
      );
      expect(gaps.length).toBeGreaterThanOrEqual(2);
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(2);
    }
  });

  it('overwrites only when that was chosen and typed, and what was overwritten is paused', async () => {
    const { items } = (await (await to.api()).get('/api/jobs?q=job-000')).json;
    await to.made(`jobs/${items[0].id}/resume`);
    const file = JSON.parse(text);
    file.jobs[0].handler = 'other';
    const page = await to.visit('/transfer?tab=import');
    await choose(page, JSON.stringify(file, null, 2));
    await check(page);
    await page.getByText('Conflict: skip 1').waitFor();
    await page.getByText('overwrite from the file').click();
    await page.waitForURL(/onConflict=overwrite/);
    // What was looked at was another choice.
    await page.getByRole('button', { name: /^Apply/ }).waitFor({ state: 'detached' });
    await check(page);
    await page.getByText('Overwrite 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Apply/ }).click();
    const dialog = page.getByRole('dialog');
    const apply = dialog.getByRole('button', { name: 'Apply' });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByLabel(/Type “overwrite 1”/).fill('overwrite 1');
    await apply.click();
    await page.getByText('0 created, 1 overwritten').waitFor();
    await waitFor('it is overwritten and paused', async () => {
      const job = (await (await to.api()).get(`/api/jobs/${items[0].id}`)).json;
      return job.handler === 'other' && job.state === 'paused' && job.pauseReason === 'imported';
    });
  });
});
