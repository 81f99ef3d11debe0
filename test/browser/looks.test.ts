import { readFileSync } from 'node:fs';
import { LOOPBACK_CALLBACKS } from '../support/receiver.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';
import { clippedWhenLonger, sameNames } from './support/page-faults.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror="window.hacked=1">\u202Egnp.exe';
let house: Console;
let pages: string[];
let task: string;
beforeAll(async () => {
  house = await Console.start(['default', 'pay'], LOOPBACK_CALLBACKS);
  await house.house.startWorker({ id: 'w1', slots: 4 });
  const job = await house.made('jobs', {
    key: 'hostile',
    group: 'pay',
    handler: 'echo',
    schedule: { kind: 'cron', expression: '30 2 * * *' },
    description: HOSTILE,
    owner: HOSTILE.slice(0, 30),
    tags: ['javascript'],
    paramsText: `{"n":9007199254740993,"e":1e400,"":1,"html":${JSON.stringify(HOSTILE)},"long":"${'x'.repeat(60_000)}"}`,
  });
  const app = await house.made('apps', { name: '<b>商城</b> a/b c#%', defaultGroup: 'pay' });
  await house.made('keys', { kind: 'partner', app: app.id, label: HOSTILE.slice(0, 40) });
  task = (await house.made(`jobs/${job.id}/trigger`, { reason: HOSTILE })).taskId;
  await house.made('users', { username: 'viewer', password: PASSWORD, role: 'viewer' });
  await house.made('users', { username: 'operator', password: PASSWORD, role: 'operator' });
  await waitFor('the task ran', async () => (await (await house.api()).get(`/api/tasks/${task}`)).json.state === 'SUCCEEDED');
  pages = [
    'overview',
    'tasks',
    'tasks?by=error',
    `tasks/${task}`,
    `tasks/${task}?tab=logs`,
    'jobs',
    `jobs/${job.id}`,
    `jobs/${job.id}?tab=tasks`,
    'calendar',
    'workers',
    'workers/w1',
    'groups',
    'groups/pay',
  ];
  const endpoint = (
    await signedRequest(house.url, house.house.appKey, 'POST', '/openapi/v1/webhook-endpoints', {
      url: 'http://127.0.0.1:6379/hook',
    })
  ).body;
  await house.made('jobs', { key: 'after', group: 'pay', handler: 'echo', schedule: { kind: 'upstream' }, upstreams: [job.id] });
  await waitFor('something was sent', async () => {
    const { items } = (await (await house.api()).get('/api/callbacks/deliveries')).json;
    if (items.length === 0) return false;
    pages.push(`callbacks/deliveries/${items[0].id}`);
    return true;
  });
  pages.push('callbacks', 'callbacks?tab=endpoints', `callbacks/endpoints/${endpoint.id}`, 'transfer', 'transfer?tab=import');
  pages.push('graph', `graph?job=${job.id}`, 'graph?view=list', 'alerts');
  pages.push('keys', 'keys/tester', 'audit', 'bulk', 'users', 'settings', 'system', 'me', 'jobs/new');
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe.each([
  ['light', 0],
  ['light', 1],
  ['dark', 0],
  ['dark', 1],
] as const)('in the %s theme, every other page from %i on', (theme, from) => {
  it('no page has a serious fault for those who see or move differently', async () => {
    const page = await house.visit('/overview', { theme, language: theme === 'light' ? 'zh-CN' : 'en' });
    const faults: string[] = [];
    for (const path of pages.filter((_, i) => i % 2 === from)) {
      await house.go(page, path);
      // Once per document: it stays while the console goes from page to page.
      if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
      const found = await page.evaluate(async () => {
        // biome-ignore lint/suspicious/noExplicitAny: the library puts itself there
        const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'] });
        return violations
          .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
          .map(
            (one: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
              `${one.id} ×${one.nodes.length}: ${one.nodes[0]?.html.slice(0, 160)} ${one.nodes[0]?.failureSummary.slice(0, 200)}`,
          );
      });
      faults.push(...found.map((text: string) => `${path}: ${text}`));
      const missing = await page.evaluate(() =>
        document.body.textContent?.match(
          /\b(tasks?|jobs?|overview|keys|explain|callbacks?|transfer|graph|alerts)\.[a-z][A-Za-z]+\.[A-Za-z]+/g,
        ),
      );
      if (missing) faults.push(`${path}: text without words ${missing}`);
      for (const fault of [...(await page.evaluate(sameNames)), ...(await page.evaluate(clippedWhenLonger))])
        faults.push(`${path}: ${fault}`);
    }
    expect(faults).toEqual([]);
  }, 400_000);
});

describe('hostile data', () => {
  it('is shown as text, exact and harmless', async () => {
    const page = await house.visit(`/tasks/${task}?tab=params`);
    const params = page.getByRole('region', { name: 'Params' });
    await params.waitFor();
    const text = await params.textContent();
    for (const part of ['9007199254740993', '1e400', '"": 1', '<img src=x']) expect(text).toContain(part);
    for (const path of pages.filter((each) => /^(overview|tasks|jobs|audit|keys$)/.test(each))) await house.go(page, path);
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    await house.go(page, 'keys');
    await page.getByText('<b>商城</b> a/b c#%').first().waitFor();
  });
});

describe('roles', () => {
  it('leave a viewer nothing to change, and say why', async () => {
    const page = await house.visit('/overview', { user: 'viewer', expects: [403] });
    const mutating =
      /^(New|Run|Pause|Resume|Cancel|Drain|Hold|Release|Edit|Delete|Disable|Save|Redeliver|Send|Recover|Rotate|Check|Apply)\b/;
    const enabled: string[] = [];
    for (const path of pages.filter((each) => !/users|settings|system|me$|jobs\/new|tester/.test(each))) {
      await house.go(page, path);
      for (const button of await page.getByRole('main').getByRole('button', { name: mutating }).all()) {
        const usable = (await button.isEnabled()) && (await button.getAttribute('aria-disabled')) !== 'true';
        const name = (await button.getAttribute('aria-label')) ?? (await button.textContent());
        if (usable) enabled.push(`${path}: ${name}`);
        else if ((await button.getAttribute('aria-disabled')) === 'true') expect(name).toMatch(/permission|needs|ended|only/i);
      }
    }
    expect(enabled).toEqual([]);
    const caller = await house.api('viewer');
    const refused = await caller.post(`/api/tasks/${task}/cancel`, {});
    expect(refused.json).toMatchObject({ status: 403, code: 'permission_denied', permission: 'tasks.cancel' });
    await page.goto('/users');
    await page.getByText('Needs the permission users.view').waitFor();
  });

  it('let an operator run and pause, not edit', async () => {
    const page = await house.visit('/jobs', { user: 'operator' });
    const run = page.getByRole('button', { name: /^Run now – hostile$/ });
    const [answer] = await Promise.all([page.waitForResponse((each) => each.url().endsWith('/trigger')), run.click()]);
    const { taskId } = await answer.json();
    expect((await house.read(`tasks/${taskId}`)).job.key).toBe('hostile');
    expect(await page.getByRole('button', { name: 'New job' }).count()).toBe(0);
  });
});

describe('the keyboard', () => {
  it('goes places by letters, but not while one writes, and not when they are switched off', async () => {
    const page = await house.visit('/overview');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('go');
    expect(await page.getByRole('searchbox').or(page.getByLabel('Find by key, owner or description')).first().inputValue()).toBe(
      'go',
    );
    await house.go(page, 'me');
    const goesToJobs = async () => {
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('g');
      await page.keyboard.press('j');
      // The router has begun to go before the next frame, if it goes.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return new URL(page.url()).pathname !== '/me';
    };
    const letters = page.getByRole('switch');
    await letters.click();
    expect(await goesToJobs()).toBe(false);
    await letters.click();
    expect(await goesToJobs()).toBe(true);
  });
});
