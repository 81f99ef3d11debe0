import type { Page } from 'playwright-core';
import { AdminBrowser } from '../support/admin-browser.js';
import { LOOPBACK_CALLBACKS } from '../support/receiver.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';
import { axeFaults } from './support/axe-faults.js';
import { Console, PASSWORD } from './support/console.js';
import { LOOKS, turn } from './support/looks.js';
import { clippedWhenLonger, missingWords, sameNames } from './support/page-faults.js';

const HOSTILE = '<img src=x onerror="window.hacked=1">\u202Egnp.exe';
let house: Console;
let pages: string[];
let task: string;
let failing: { job: string; task: string };
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
  const failingJob = await house.made('jobs', {
    key: 'failing',
    group: 'pay',
    handler: 'fail',
    schedule: { kind: 'manual' },
    retry: { kind: 'none' },
    paramsText: JSON.stringify({ message: `${HOSTILE} ${'y'.repeat(2_000)}` }),
  });
  failing = { job: failingJob.id, task: (await house.made(`jobs/${failingJob.id}/trigger`)).taskId };
  await waitFor('the task ran', async () => (await house.read(`tasks/${task}`)).state === 'SUCCEEDED');
  await waitFor('the other failed', async () => (await house.read(`tasks/${failing.task}`)).state === 'FAILED');
  pages = [
    'overview',
    'tasks',
    'tasks?by=error',
    `tasks/${task}`,
    `tasks/${task}?tab=logs`,
    'jobs',
    `jobs/${job.id}`,
    `jobs/${job.id}?tab=tasks`,
    `jobs/${job.id}?tab=config`,
    `jobs/${job.id}?tab=callbacks`,
    `jobs/${job.id}?tab=audit`,
    `jobs/${job.id}/edit`,
    `tasks/${failing.task}?tab=attempts`,
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
  pages.push(
    'keys',
    'keys/tester',
    'keys/rejected',
    'audit',
    'bulk',
    'users',
    'users?user=operator&group=pay',
    'settings',
    'system',
    'me',
    'jobs/new',
    'no/such/page',
  );
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

describe.each([0, 1, 2, 3])('in both languages and themes, every fourth page from %i on', (from) => {
  it('no page has a serious fault for those who see or move differently', async () => {
    const page = await house.visit('/overview', { language: 'zh-CN' });
    const faults: string[] = [];
    for (const path of pages.filter((_, i) => i % 4 === from)) {
      await house.go(page, path);
      for (const look of LOOKS) {
        await turn(page, look);
        const where = `${path} (${look.language}, ${look.theme})`;
        faults.push(...(await axeFaults(page, look.rules)).map((text) => `${where}: ${text}`));
        faults.push(...(await page.evaluate(missingWords)).map((key) => `${where}: text without words ${key}`));
        if (look.rules === 'colours') continue;
        for (const fault of [...(await page.evaluate(sameNames)), ...(await page.evaluate(clippedWhenLonger))])
          faults.push(`${where}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  }, 400_000);
});

/** Nobody zooms the page of a phone sideways: what is wide scrolls by itself. */
const widerThanWindow = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector('#main');
    return document.documentElement.scrollWidth > innerWidth + 1 || (main !== null && main.scrollWidth > main.clientWidth + 1);
  });

describe.each([
  ['a phone', 390, 844],
  ['a window zoomed to 200 %', 720, 500],
] as const)('on %s', (_, width, height) => {
  it('every page fits, a failed task is read and retried, and its job paused', async () => {
    const page = await house.visit(`/tasks?job=${failing.job}`);
    await page.setViewportSize({ width, height });
    await page.locator(`tr[data-row="${failing.task}"]`).getByRole('link').first().click();
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.getByRole('tabpanel').getByText('⟨U+202E⟩gnp.exe').first().waitFor();
    const { attempt } = await house.read(`tasks/${failing.task}`);
    await page.getByRole('button', { name: /^Retry/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await waitFor('it is tried once more', async () => {
      const task = await house.read(`tasks/${failing.task}`);
      return task.attempt === attempt + 1 && task.state === 'FAILED';
    });
    await page.getByRole('link', { name: 'failing' }).first().click();
    await page.getByRole('button', { name: /^Pause – failing/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: /^Resume – failing/ }).click();
    await page.getByRole('button', { name: /^Pause – failing/ }).waitFor();
    const wide: string[] = [];
    for (const path of pages) {
      await house.go(page, path);
      if (await widerThanWindow(page)) wide.push(path);
    }
    expect(wide).toEqual([]);
  }, 300_000);
});

describe('hostile data', () => {
  it('is shown as text, exact and harmless', async () => {
    const page = await house.visit(`/tasks/${task}?tab=params`);
    const params = page.getByRole('region', { name: 'Params' });
    for (const part of ['9007199254740993', '1e400', '"": 1', '<img src=x', '\\u202egnp.exe'])
      await becomes(() => params.textContent(), expect.stringContaining(part));
    await page.evaluate(() => {
      Object.assign(navigator.clipboard, { writeText: async (text: string) => Object.assign(window, { copied: text }) });
    });
    await page.getByRole('button', { name: 'Copy Params' }).click();
    const copied = await page.waitForFunction(() => (window as unknown as { copied?: string }).copied);
    expect(await copied.jsonValue()).toMatch(/^\{"n":9007199254740993,"e":1e400,"":1,/);
    for (const path of pages.filter((each) => /^(overview|tasks|jobs|audit|keys$)/.test(each))) await house.go(page, path);
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    await house.go(page, 'keys');
    await page.getByText('<b>商城</b> a/b c#%').first().waitFor();
  });

  it('turns no text around, and fits where it is told', async () => {
    const page = await house.visit(`/tasks/${failing.task}?tab=attempts`);
    await page.getByText('⟨U+202E⟩gnp.exe').nth(1).waitFor();
    const beyond = () =>
      page.evaluate(
        () => [...document.querySelectorAll('.checks li')].filter((line) => line.scrollWidth > line.clientWidth).length,
      );
    expect(await beyond()).toBe(0);
    for (const path of ['tasks', 'tasks?by=error', `tasks/${failing.task}`]) {
      await house.go(page, path);
      await page.getByText('⟨U+202E⟩gnp.exe').first().waitFor();
    }
    expect(await page.getByRole('main').textContent()).not.toContain('\u202E');
  });
});

/** Runs in the page. Ways that look like buttons, and lines whose parts have colours of their own, are no links by their colour. */
function coloursOfLinks(): string[] {
  const links = document.querySelectorAll('main a:not(.link-button, .tile, .change-line), main .ant-btn-link');
  return [...links].map((link) => getComputedStyle(link).color);
}

/** Of two colours, `rgb(r, g, b)`, as WCAG 2.1 measures it. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const parts = (colour.match(/\d+/g) ?? []).map(Number);
    const [r = 0, g = 0, b = 0] = parts.map((part) => {
      const value = part / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe('links', () => {
  it('have one colour in each theme, whoever draws them, and can be read on all they stand on', async () => {
    const page = await house.visit('/audit?group=pay');
    for (const look of LOOKS) {
      await turn(page, look);
      const seen: string[] = [];
      for (const path of ['audit?group=pay', 'users', 'workers', 'settings']) {
        await house.go(page, path);
        seen.push(...(await page.evaluate(coloursOfLinks)));
      }
      expect(seen.length).toBeGreaterThan(10);
      const colours = [...new Set(seen)];
      expect([look.theme, colours]).toEqual([look.theme, [expect.any(String)]]);
      const grounds = await page.evaluate(() =>
        ['surface', 'page', 'surface-hover'].map((name) => {
          const probe = document.body.appendChild(document.createElement('span'));
          probe.style.color = `var(--${name})`;
          const { color } = getComputedStyle(probe);
          probe.remove();
          return color;
        }),
      );
      for (const ground of grounds) expect(contrast(colours[0] as string, ground)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe('roles', () => {
  it('are told that they may not look, and not that there is nothing', async () => {
    await house.made('users', { username: 'guest', password: PASSWORD, role: 'none', grants: { pay: 'viewer' } });
    const page = await house.visit('/keys', { user: 'guest', expects: [403] });
    for (const path of ['keys', 'callbacks', 'callbacks?tab=endpoints', 'users']) {
      await house.go(page, path);
      await page.getByText('You do not have permission').first().waitFor();
      expect([path, await page.getByText(/^No (such )?(keys|partners|deliver|endpoint)/).count()]).toEqual([path, 0]);
    }
  });

  it("that nobody gave leave one answer on every page, and one's own page", async () => {
    await house.made('users', { username: 'nobody', password: PASSWORD, role: 'none' });
    const page = await house.visit('/me', { user: 'nobody', expects: [403] });
    await page.getByRole('heading', { level: 1, name: 'Preferences' }).waitFor();
    for (const path of ['tasks', 'overview', 'jobs', 'workers', 'groups', 'audit', 'callbacks', `tasks/${task}`]) {
      await house.go(page, path);
      await page.getByRole('alert').filter({ hasText: 'Your account has no rights yet' }).waitFor();
      const more = page.getByRole('main').locator('[role=alert], .panel, .table-scroll, .ant-skeleton, input, button');
      expect([path, await more.count()]).toEqual([path, 1]);
    }
  });

  it('that do not reach a list are told in its place, and nothing of what it has', async () => {
    const page = await house.visit('/me', { user: 'operator', expects: [403] });
    const refusal = { status: 403, code: 'permission_denied', detail: 'x', permission: 'groups.view', errors: [] };
    for (const [path, question, nothing] of [
      ['groups', /\/api\/groups$/, 'There are no groups you may see'],
      ['workers', /\/api\/workers$/, 'There are no workers'],
      ['jobs', /\/api\/jobs(\?|$)/, 'No job'],
    ] as const) {
      await page.route(question, (route) => route.fulfill({ status: 403, contentType: 'application/json', json: refusal }));
      await house.go(page, path);
      await page.getByRole('alert').filter({ hasText: 'You do not have permission' }).waitFor();
      expect([path, await page.getByText(nothing).count(), await page.locator('.panel').count()]).toEqual([path, 0, 0]);
    }
  });

  it('leave a viewer nothing to change, and say why', async () => {
    const page = await house.visit('/overview', { user: 'viewer', expects: [403] });
    const mutating =
      /^(New|Run|Pause|Resume|Cancel|Drain|Hold|Release|Edit|Delete|Disable|Enable|Save(?! view)|Redeliver|Send|Recover|Rotate|Check|Apply|Retry|Force|Backfill|Restore|End|Change|Stop it|Undo)\b/;
    const enabled: string[] = [];
    const mute: string[] = [];
    // One's own sessions, password and views are one's own; the tester sends nothing.
    for (const path of pages.filter((each) => !/^(me|keys\/tester|no\/)/.test(each))) {
      await house.go(page, path);
      for (const button of await page.getByRole('main').getByRole('button', { name: mutating }).all()) {
        const name = (await button.getAttribute('aria-label')) ?? (await button.textContent()) ?? '';
        const told = (await button.getAttribute('aria-disabled')) === 'true';
        if (!told && (await button.isEnabled())) enabled.push(`${path}: ${name}`);
        else if (!/permission|needs|ended|only/i.test(name)) mute.push(`${path}: ${name}`);
      }
    }
    expect({ enabled, mute }).toEqual({ enabled: [], mute: [] });
    const caller = await house.api('viewer');
    const { revision } = await house.read('groups/pay');
    for (const [method, path, permission, body] of [
      ['POST', `tasks/${task}/cancel`, 'tasks.cancel', {}],
      ['POST', `tasks/${failing.task}/retry`, 'tasks.retry', {}],
      ['POST', `jobs/${failing.job}/trigger`, 'jobs.run', {}],
      ['POST', `jobs/${failing.job}/pause`, 'jobs.pause', {}],
      ['DELETE', `jobs/${failing.job}`, 'jobs.edit', undefined],
      ['POST', 'groups/pay/hold', 'groups.hold', { reason: 'no' }],
      ['PATCH', 'groups/pay', 'groups.edit', { revision, maxRunning: 1 }],
      ['POST', 'workers/w1/drain', 'workers.drain', { reason: 'no' }],
      ['POST', 'users', 'users.manage', { username: 'x', password: 'y', role: 'viewer' }],
    ] as const) {
      const refused = await caller.call(method, `/api/${path}`, body);
      expect([path, refused.json]).toMatchObject([path, { status: 403, code: 'permission_denied', permission }]);
    }
    await page.goto('/users');
    await page.getByText('Needs the permission users.view').waitFor();
  });

  it('let an operator run, retry, cancel, pause and drain, not edit', async () => {
    const page = await house.visit('/jobs', { user: 'operator', expects: [403] });
    const run = page.getByRole('button', { name: /^Run now – hostile$/ });
    const [answer] = await Promise.all([page.waitForResponse((each) => each.url().endsWith('/trigger')), run.click()]);
    const { taskId } = await answer.json();
    expect((await house.read(`tasks/${taskId}`)).job.key).toBe('hostile');
    expect(await page.getByRole('button', { name: 'New job' }).count()).toBe(0);
    const schedule = { kind: 'manual' };
    const sleeper = { key: 'sleeps', group: 'pay', handler: 'sleep', schedule, paramsText: '{"ms":300000}' };
    const { taskId: asleep } = await house.made(`jobs/${(await house.made('jobs', sleeper)).id}/trigger`);
    await waitFor('it sleeps', async () => (await house.read(`tasks/${asleep}`)).state === 'RUNNING');
    await house.go(page, `tasks/${asleep}`);
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await waitFor('it is cancelled', async () => (await house.read(`tasks/${asleep}`)).state === 'CANCELLED');
    await page.getByText('Cancelled').first().waitFor();
    const cancelled = `audit?objectId=${asleep}&actor=user:operator`;
    expect((await house.read(cancelled)).items[0]).toMatchObject({ action: 'task.cancelled' });
    const caller = await house.api('operator');
    const after = (await house.read('jobs?q=after')).items[0].id;
    await house.go(page, `jobs/${after}`);
    await page.getByRole('button', { name: /^Pause – after/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: /^Resume – after/ }).waitFor();
    expect((await house.read(`jobs/${after}`)).state).toBe('paused');
    for (const name of [/^Edit/, /^Delete/]) {
      const button = page.getByRole('button', { name });
      if ((await button.count()) > 0) expect(await button.first().getAttribute('aria-disabled')).toBe('true');
    }
    await house.made(`jobs/${after}/resume`);
    await house.go(page, `tasks/${failing.task}`);
    await page.getByRole('button', { name: /^Retry/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await waitFor(
      'it was retried',
      async () => (await house.read(`audit?objectId=${failing.task}&actor=user:operator`)).items.length > 0,
    );
    await house.go(page, 'workers/w1');
    await page.getByRole('button', { name: /^Drain/ }).click();
    await page.getByRole('dialog').getByRole('textbox').first().fill('new kernel');
    // It is the last worker of its groups.
    await page.getByRole('dialog').getByRole('textbox').nth(1).fill('w1');
    await page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true }).click();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await waitFor('it takes tasks again', async () => !(await house.read('workers/w1')).drainAsked);
    for (const path of [`jobs/${failing.job}`, 'users'] as const) await house.go(page, path);
    await page.getByText('Needs the permission users.view').waitFor();
    const edited = await caller.call('DELETE', `/api/jobs/${failing.job}`);
    expect(edited.json).toMatchObject({ status: 403, permission: 'jobs.edit' });
  });

  it('are told of each person as the server decides them, and where one is signed in is ended', async () => {
    await house.made('users', { username: 'partly', password: PASSWORD, role: 'none', grants: { pay: 'operator' } });
    const theirs = new AdminBrowser(house.url, {});
    expect((await theirs.post('/api/session', { username: 'partly', password: PASSWORD })).status).toBe(200);
    const page = await house.visit('/users');
    await page.getByRole('link', { name: 'partly' }).click();
    const glance = page.getByRole('complementary', { name: 'Quick look' });
    const may = glance.getByRole('region', { name: 'What they may do' });
    const held = async () => (await may.locator('li[data-may="true"] code').allTextContents()).sort();
    await waitFor(
      'they may do nothing everywhere',
      async () => (await may.locator('li').count()) > 5 && (await held()).length === 0,
    );
    await house.go(page, 'users?user=partly&group=pay');
    const { json } = await theirs.get('/api/session');
    await waitFor(
      'what they may do in the group is marked',
      async () => (await held()).join() === [...json.groupPermissions.pay].sort().join(),
    );
    await glance.getByRole('button', { name: /^End this session/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End this session' }).click();
    await glance.getByText('Not signed in').waitFor();
    expect((await theirs.get('/api/session')).status).toBe(401);
    const { items } = await house.read('audit?objectId=partly&action=session.revoked');
    expect(items).toHaveLength(1);
    await house.go(page, 'audit?objectId=partly');
    await page.getByRole('link', { name: 'Session ended' }).click();
    await glance.getByText('session.revoked').waitFor();
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
    const search = page.getByRole('searchbox').or(page.getByLabel('Find by key, owner or description')).first();
    await waitFor('one can write', () => search.evaluate((field) => field === document.activeElement));
    await page.keyboard.type('go');
    await becomes(() => search.inputValue(), 'go');
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
    await page.getByRole('switch', { checked: false }).waitFor();
    expect(await goesToJobs()).toBe(false);
    await letters.click();
    await page.getByRole('switch', { checked: true }).waitFor();
    await goesToJobs();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });
});
