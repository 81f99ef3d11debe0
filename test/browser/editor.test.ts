/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { axeFaults } from './support/axe-faults.js';
import { Console } from './support/console.js';
import { LOOKS, turn } from './support/looks.js';
import { clippedWhenLonger, missingWords, sameNames } from './support/page-faults.js';

/** Not the browser's. */
const ZONE = 'Asia/Kathmandu';
let house: Console;
beforeAll(async () => {
  house = await Console.start(['default'], { DEFAULT_TIMEZONE: ZONE });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const fires = (page: Page) => page.getByRole('complementary', { name: 'Preview' }).getByRole('table').getByRole('row');

async function type(page: Page, text: string): Promise<void> {
  await page.getByText('Expression', { exact: true }).first().click();
  await page.locator('input.mono[aria-label]').last().fill(text);
}

const ENDLESS = '0 0 1-100000000 * *';
/** Milliseconds of the quickest of several: what else the machine does takes none of that one's. */
async function fastestCheck(expression: string, status: number): Promise<number> {
  const api = await house.api();
  const took: number[] = [];
  for (let n = 0; n < 5; n++) {
    const from = performance.now();
    const answer = await api.post('/api/jobs/preview', { schedule: { kind: 'cron', expression }, timeZone: 'UTC', count: 10 });
    took.push(performance.now() - from);
    expect(answer.status).toBe(status);
  }
  return Math.min(...took);
}

describe('the preview of a schedule', () => {
  it("shows the fires the API computes, in the zone of the job, which is the installation's until another is stated", async () => {
    const page = await house.visit('/jobs/new');
    await fires(page).nth(10).waitFor();
    for (const text of ['30 9 * * MON-FRI', '0 0 29 2 *', '0 2 * * *', '15 10 ? * FRI#3', '0 0 L * *', '*/7 3 * * *']) {
      await type(page, text);
      const answer = await house.made('jobs/preview', {
        schedule: { kind: 'cron', expression: text },
        timeZone: ZONE,
        count: 10,
      });
      const wanted = answer.fires.map(({ local }: { local: string }) => local);
      await waitFor(`the fires of ${text} are shown`, async () => {
        const shown = (await fires(page).allInnerTexts()).slice(1);
        return shown.length === wanted.length && wanted.every((local: string, i: number) => shown[i]?.startsWith(local));
      });
    }
    await page.getByRole('complementary', { name: 'Preview' }).getByText(`${ZONE})`).waitFor();
  });

  it('shows what daylight saving does in New York', async () => {
    const job = await house.made('jobs', {
      key: 'new-york',
      group: 'default',
      handler: 'echo',
      schedule: { kind: 'cron', expression: '30 2 8 3 *', timeZone: 'America/New_York' },
    });
    const page = await house.visit(`/jobs/${job.id}?tab=schedule`);
    await page.getByRole('region', { name: 'Fires' }).getByRole('row').nth(3).waitFor();
    const chinese = await house.visit(`/jobs/${job.id}/edit`, { language: 'zh-CN' });
    await chinese
      .getByText(/（America\/New_York）/)
      .first()
      .waitFor();
  });
});

describe('the zone times are shown in', () => {
  it('changes every instant of a page and nothing that is said in the zone of a job', async () => {
    const { id } = await house.made('jobs', {
      key: 'abroad',
      group: 'default',
      handler: 'echo',
      schedule: { kind: 'cron', expression: '30 9 * * MON-FRI', timeZone: 'America/New_York' },
    });
    await house.made(`jobs/${id}/trigger`);
    const page = await house.visit('/overview');
    const zones = [
      { name: 'Pacific/Kiritimati', hours: 14 },
      { name: 'Pacific/Honolulu', hours: -10 },
    ] as const;
    const paths = [`jobs/${id}?tab=schedule`, `jobs/${id}?tab=tasks`, 'jobs', 'tasks', `jobs/${id}/edit`, 'audit'];
    for (const [n, path] of paths.entries()) {
      await house.go(page, path);
      const { name, hours } = zones[n % 2] as (typeof zones)[number];
      const zone = page.getByRole('banner').getByRole('combobox', { name: 'Time zone shown' });
      const before = await page.evaluate(timesShown);
      await zone.click();
      await zone.fill(name);
      await page.locator('.ant-select-item-option', { hasText: name }).click();
      await page.waitForFunction((chosen) => document.querySelector('header')?.textContent?.includes(chosen), name);
      await house.arrived(page);
      const after = await page.evaluate(timesShown);
      expect([path, after.ofJob]).toEqual([path, before.ofJob]);
      expect([path, after.instants.length]).toEqual([path, before.instants.length]);
      for (const [i, { at, text }] of after.instants.entries()) {
        const moved = new Date(Date.parse(at) + hours * 3_600_000).toISOString().replace('T', ' ').slice(0, 19);
        expect([path, at, moved.endsWith(text)]).toEqual([path, at, true]);
        expect([path, text]).not.toEqual([path, before.instants[i]?.text]);
      }
      if (!path.endsWith('edit')) expect([path, after.instants.length]).not.toEqual([path, 0]);
      if (path.startsWith('jobs/')) expect(after.ofJob.join()).toContain('America/New_York');
    }
  });
});

/** Runs in the page: its instants, and what is said in the zone of a job: sentences that name it, and fires. */
function timesShown(): { instants: { at: string; text: string }[]; ofJob: string[] } {
  const main = document.querySelector('main') as HTMLElement;
  const instants = [...main.querySelectorAll('time')].map(({ dateTime, textContent }) => ({
    at: dateTime,
    text: textContent ?? '',
  }));
  const sentences: string[] = [];
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (/America\/New_York/.test(texts.currentNode.nodeValue ?? '')) sentences.push(texts.currentNode.nodeValue ?? '');
  const fires = [...main.querySelectorAll('[data-fire]')].map(({ textContent }) => textContent ?? '');
  return { instants, ofJob: [...sentences, ...fires] };
}

describe('the builder', () => {
  it('never makes a job that fires every second unless told twice', async () => {
    const page = await house.visit('/jobs/new', { expects: [400] });
    await fires(page).nth(10).waitFor();
    await page.getByText('Every N', { exact: true }).click();
    await waitFor('five minutes apart', async () => (await fires(page).nth(2).textContent())?.includes('5 min'));
    await type(page, '* 0/5 * * * ?');
    const tick = page.getByRole('checkbox', { name: /second/i });
    await tick.waitFor();
    const save = page.getByRole('button', { name: 'Save and enable' });
    await becomes(() => save.isDisabled(), true);
    await tick.check();
    await becomes(() => save.isDisabled(), false);
    await type(page, '0 15 10 ? * 6#3');
    const question = page.getByRole('alert').filter({ hasText: 'counted from which day?' });
    await question.getByRole('button', { name: '0 = Sunday (crontab): SAT#3' }).waitFor();
    await becomes(() => save.isDisabled(), true);
    const expression = page.locator('input.mono[aria-label]').last();
    await question.getByRole('button', { name: '1 = Sunday (Quartz, XXL-JOB): FRI#3' }).click();
    await question.waitFor({ state: 'detached' });
    await becomes(() => expression.inputValue(), '0 15 10 ? * FRI#3');
    await becomes(() => save.isDisabled(), false);
    await type(page, '0 15 10 ? * 2-6');
    await question.getByRole('button', { name: /^0 = Sunday .*: TUE-SAT$/ }).click();
    await becomes(() => expression.inputValue(), '0 15 10 ? * TUE-SAT');
    await type(page, ENDLESS);
    await page.getByRole('complementary', { name: 'Preview' }).getByRole('alert').waitFor();
    await becomes(() => fires(page).count(), 0);
    // Nothing is counted out: it is refused in a time in which another is computed.
    const usual = await fastestCheck('30 9 * * MON-FRI', 200);
    expect(await fastestCheck(ENDLESS, 400)).toBeLessThan(Math.max(200, 3 * usual));
  });

  it('opens an expression in the tab that can say it', async () => {
    for (const [key, text, tab] of [
      ['weekly', '30 9 * * MON-FRI', 'Weekly'],
      ['monthly', '0 3 L * *', 'Monthly'],
      ['daily', '15 4 * * *', 'Daily'],
      ['other', '0 0 1,15 * *', 'Expression'],
    ] as const) {
      const { id } = await house.made('jobs', {
        key,
        group: 'default',
        handler: 'echo',
        schedule: { kind: 'cron', expression: text },
      });
      const page = await house.visit(`/jobs/${id}/edit`);
      await page.getByRole('radio', { name: new RegExp(`^${tab}`), checked: true }).waitFor({ state: 'attached' });
    }
  });
});

const NIGHTLY = {
  group: 'default',
  handler: 'echo',
  schedule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' },
  priority: 9,
};

describe('the editor', () => {
  it('says what an expression should be while there is none, and makes no sentence of it', async () => {
    const page = await house.visit('/jobs/new', { expects: [400] });
    const preview = page.getByRole('complementary', { name: 'Preview', exact: true });
    const sentence = preview.locator('strong').filter({ hasText: ZONE });
    await type(page, '0 9 * * 0-7');
    await becomes(() => sentence.textContent(), `At 09:00, every day (${ZONE})`);
    await type(page, '');
    await preview.getByText('must have 5 fields, 6 beginning with seconds or 7 ending with a year, not 0').waitFor();
    expect(await sentence.count()).toBe(0);
  });

  it('shows what is wrong at its field, keeps a draft, and asks before it is left', async () => {
    const page = await house.visit('/jobs/new', { expects: [400] });
    await page.getByLabel('Key', { exact: true }).fill('bad key with blanks');
    await page.getByLabel('Handler').fill('echo');
    await page.keyboard.press('Escape');
    await page.getByLabel('Params').fill('{"n": 9007199254740993');
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await page.locator('.ant-form-item-explain-error').first().waitFor();
    await page.getByLabel('Params').fill('{"n": 9007199254740993}');
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await waitFor(
      'the key is told to be wrong',
      async () => (await page.getByLabel('Key', { exact: true }).getAttribute('aria-invalid')) === 'true',
    );
    await page.reload();
    await becomes(() => page.getByLabel('Key', { exact: true }).inputValue(), 'bad key with blanks');
    await page.getByLabel('Key', { exact: true }).fill('exact');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(new URL(page.url()).pathname).toBe('/jobs/new');
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await page.getByRole('heading', { level: 1, name: /exact/ }).waitFor();
    await page.getByRole('tab', { name: 'Config' }).click();
    await page
      .getByText(/9007199254740993/)
      .first()
      .waitFor();
  });

  it('gives a new job the zone of the installation, as the API does, and not of the browser', async () => {
    const page = await house.visit('/jobs/new');
    await page.getByLabel('Key', { exact: true }).fill('new-zone');
    await page.getByLabel('Handler').fill('echo');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await page.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    const { items } = await house.read('jobs?q=new-zone');
    const { definition } = await house.read(`jobs/${items[0].id}`);
    expect(definition).toMatchObject({ timeZone: ZONE, schedule: { kind: 'cron', timeZone: ZONE } });
    const body = { key: 'new-zone-api', group: 'default', handler: 'echo', schedule: { kind: 'cron', expression: '0 3 * * *' } };
    const { schedule } = (await house.made('jobs', body)).definition;
    expect(schedule).toEqual(definition.schedule);
    await house.go(page, 'transfer?tab=import&from=xxl-job');
    await becomes(() => page.getByLabel(/^Time zone of cron/).getAttribute('placeholder'), ZONE);
  });

  it('shows both edits when somebody saved first, and loses neither', async () => {
    const { id } = await house.made('jobs', { key: 'shared', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
    const one = await house.visit(`/jobs/${id}/edit`);
    const two = await house.visit(`/jobs/${id}/edit`, { expects: [409] });
    await one.getByLabel('Owner').fill('one');
    await two.getByLabel('Owner').fill('two');
    await one.getByRole('button', { name: 'Save', exact: true }).click();
    await one.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    await two.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = two.getByRole('dialog');
    await dialog.getByRole('row', { name: /owner.*one.*two/i }).waitFor();
    await dialog.getByRole('button', { name: /Keep mine|mine/i }).click();
    await two.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    const api = await house.api();
    expect((await api.get(`/api/jobs/${id}`)).json.owner).toBe('two');
    const { items } = (await api.get(`/api/jobs/${id}/versions`)).json;
    expect(items.map((item: { definition: { owner?: string } }) => item.definition.owner).slice(0, 2)).toEqual(['two', 'one']);
  });

  it('merges what two people changed of a job, each another part, and shows nothing that neither did', async () => {
    const { id, definition } = await house.made('jobs', { ...NIGHTLY, key: 'merged' });
    const one = await house.visit(`/jobs/${id}/edit`);
    const two = await house.visit(`/jobs/${id}/edit`, { expects: [409] });
    await one.getByLabel('Priority').fill('3');
    await one.getByLabel(/^Time limit/).fill('90');
    await one.getByRole('button', { name: 'Save', exact: true }).click();
    await one.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    await two.getByLabel('Description').fill('nightly');
    await two.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = two.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'priority, Theirs: 3', checked: true }).waitFor();
    await dialog.getByRole('radio', { name: 'description, Yours: nightly', checked: true }).waitFor();
    await dialog.getByRole('radio', { name: 'timeoutMs, Theirs: 1 min 30 s', checked: true }).waitFor();
    await becomes(() => dialog.getByRole('row').count(), 4);
    const named = await dialog.locator('tbody tr td:first-child').allTextContents();
    expect(named.sort()).toEqual(['Description description', 'Priority priority', 'Time limit timeoutMs']);
    await dialog.getByRole('button', { name: 'Save merged' }).click();
    await two.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    const saved = await house.read(`jobs/${id}`);
    expect(saved).toMatchObject({ version: 3, group: 'default', key: 'merged' });
    expect(saved.definition).toEqual({ ...definition, priority: 3, timeoutMs: 90_000, description: 'nightly' });
  });

  it('has a person choose by the keyboard what both changed, and asks again when somebody saved meanwhile', async () => {
    const { id, definition } = await house.made('jobs', { ...NIGHTLY, key: 'disputed' });
    const api = await house.api();
    const theirs = async (version: number, change: object) => {
      const body = { ...definition, ...change, version };
      expect((await api.call('PUT', `/api/jobs/${id}`, body)).status).toBe(200);
    };
    const page = await house.visit(`/jobs/${id}/edit`, { expects: [409] });
    await page.getByLabel('Owner').fill('mine');
    await page.getByLabel('Description').fill('kept');
    await theirs(1, { owner: 'theirs' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const merge = dialog.getByRole('button', { name: 'Save merged' });
    await dialog.getByText('1 to choose', { exact: true }).waitFor();
    await becomes(() => merge.isDisabled(), true);
    expect(await dialog.getByRole('radio', { name: /^owner/, checked: true }).count()).toBe(0);
    for (const look of LOOKS) {
      await turn(page, look);
      expect(await axeFaults(page, look.rules)).toEqual([]);
      for (const faults of [missingWords, sameNames, clippedWhenLonger]) expect(await page.evaluate(faults)).toEqual([]);
    }
    await dialog.getByRole('radio', { name: 'owner, Theirs: theirs' }).focus();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('radio', { name: 'owner, Yours: mine', checked: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await dialog.getByRole('radio', { name: 'owner, Theirs: theirs', checked: true }).waitFor();
    await theirs(2, { owner: 'theirs', tags: ['late'] });
    await merge.focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('You began from version 2; it is at version 3 now.').waitFor();
    await dialog.getByRole('radio', { name: 'tags, Theirs: late', checked: true }).waitFor();
    await becomes(() => dialog.getByRole('row').count(), 3);
    await merge.click();
    await page.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    const saved = await house.read(`jobs/${id}`);
    expect(saved.version).toBe(4);
    expect(saved.definition).toEqual({ ...definition, owner: 'theirs', tags: ['late'], description: 'kept' });
  });

  it('runs a saved job once with the params of a draft, saves nothing, and says why a new one cannot be run', async () => {
    const { id, definition } = await house.made('jobs', {
      key: 'tried',
      group: 'default',
      handler: 'echo',
      schedule: { kind: 'manual' },
      paramsText: '{"n":1}',
    });
    const page = await house.visit(`/jobs/${id}/edit`);
    const run = page.getByRole('button', { name: /^Run draft once/ });
    await page.getByLabel('Params').fill('{"n": 9007199254740993');
    await run.click();
    await page.locator('.ant-form-item-explain-error').first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Params').fill('{"n": 9007199254740993}');
    await page.getByLabel('Owner').fill('ann');
    await run.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('9007199254740993').waitFor();
    await dialog.getByText('owner', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    const link = page.getByRole('status').getByRole('link', { name: /^task_/ });
    await link.waitFor();
    const taskId = (await link.textContent()) as string;
    expect(await link.getAttribute('href')).toContain(`tasks/${taskId}`);
    expect(await house.read(`tasks/${taskId}`)).toMatchObject({ job: { id }, paramsText: '{"n": 9007199254740993}' });
    const saved = await house.read(`jobs/${id}`);
    expect(saved).toMatchObject({ version: 1, owner: null, paramsText: '{"n":1}' });
    expect(saved.definition).toEqual(definition);
    expect(await page.getByLabel('Owner').inputValue()).toBe('ann');
    const fresh = await house.visit('/jobs/new');
    const cannot = fresh.getByRole('button', { name: 'Run draft once – save the job first' });
    await cannot.click({ force: true });
    expect(await cannot.getAttribute('aria-disabled')).toBe('true');
    expect(await fresh.getByRole('dialog').count()).toBe(0);
  });

  it('saves a job with all it has no field for, and leaves to the group what the job leaves to it', async () => {
    const above = await house.made('jobs', { key: 'above', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
    const { id, definition } = await house.made('jobs', {
      key: 'rich',
      group: 'default',
      handler: 'echo',
      schedule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' },
      upstreams: [above.id],
      shards: 4,
      onShardFailure: 'stop',
      workerTags: ['gpu'],
    });
    const page = await house.visit(`/jobs/${id}/edit`);
    await page.getByLabel('Owner').fill('ann');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^Job/ }).waitFor();
    const saved = (await (await house.api()).get(`/api/jobs/${id}`)).json;
    expect(saved).toMatchObject({ version: 2, upstreams: [above.id], shards: 4 });
    expect(saved.definition).toEqual({ ...definition, owner: 'ann' });
    await page.getByRole('tab', { name: 'Config' }).click();
    for (const name of [/Retry\s+Default \(group, system\)/, /Routing\s+Default \(group, system\)/])
      await page.getByRole('row', { name }).waitFor();
  });

  it('shows what somebody saved since before a draft is saved over it', async () => {
    const job = { handler: 'echo', schedule: { kind: 'manual' } };
    const { id } = await house.made('jobs', { ...job, key: 'drafted', group: 'default' });
    const page = await house.visit(`/jobs/${id}/edit`, { expects: [409] });
    await page.getByLabel('Owner').fill('mine');
    const api = await house.api();
    expect((await api.call('PUT', `/api/jobs/${id}`, { ...job, version: 1, description: 'theirs' })).status).toBe(200);
    await page.reload();
    await becomes(() => page.getByLabel('Owner').inputValue(), 'mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /description.*theirs/i })
      .waitFor();
    expect((await api.get(`/api/jobs/${id}`)).json).toMatchObject({ version: 2, owner: null, description: 'theirs' });
  });
});
