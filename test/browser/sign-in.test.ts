import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start();
  for (const username of ['ada', 'bob', 'tab']) await house.made('users', { username, password: PASSWORD, role: 'admin' });
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
const keyField = (page: Page) => page.getByLabel('Key', { exact: true });
const kept = (page: Page): Promise<string> => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
async function type(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await waitFor('the draft is kept', async () => (await kept(page)).includes(key));
}
/** The next question finds that nobody is signed in any more: this one, or another before it. */
async function loseSession(page: Page): Promise<void> {
  await house.arrived(page);
  await endSession(page);
}
async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.getByLabel('User name').waitFor();
}

describe('what somebody typed and did not save', () => {
  it('is there after their session ended, and for nobody else', async () => {
    const page = await house.visit('/jobs/new', { user: 'ada', alone: true });
    await type(page, 'secret-of-ada');
    await loseSession(page);
    await signIn(page, 'bob');
    await keyField(page).waitFor();
    expect(await keyField(page).inputValue()).toBe('');
    await type(page, 'of-bob');
    await loseSession(page);
    await signIn(page, 'ada');
    await becomes(() => keyField(page).inputValue(), 'secret-of-ada');
  });

  it('is asked about before one signs out, and gone afterwards', async () => {
    const page = await house.visit('/jobs/new', { user: 'ada', alone: true });
    await type(page, 'left-behind');
    const leave = async (answer: 'Stay' | 'Leave') => {
      await page.getByRole('button', { name: 'ada', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: answer, exact: true }).click();
    };
    await leave('Stay');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await keyField(page).inputValue()).toBe('left-behind');
    expect((await page.context().request.get(`${house.url}/api/session`)).status()).toBe(200);
    await leave('Leave');
    await page.getByLabel('User name').waitFor();
    await becomes(() => kept(page), expect.not.stringContaining('left-behind'));
  });
});

describe('what somebody typed in one tab', () => {
  const signOut = async (page: Page, username: string) => {
    await page.getByRole('button', { name: username, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('User name').waitFor();
  };
  it('is gone when they sign out in another, and whoever else typed there keeps theirs', async () => {
    const one = await house.visit('/jobs', { user: 'ada', alone: true });
    const [two, away] = [await one.context().newPage(), await one.context().newPage()];
    await two.goto(`${house.url}/jobs/new`);
    await type(two, 'of-ada');
    await away.goto(`${house.url}/jobs/new`);
    await type(away, 'of-ada-too');
    // A tab where no console runs at that moment.
    await away.goto(`${house.url}/healthz`);
    await signOut(one, 'ada');
    await two.getByLabel('User name').waitFor();
    await waitFor('the other tab keeps nothing', async () => !(await kept(two)).includes('of-ada'));
    expect(await kept(away)).toContain('of-ada-too');
    await away.goto(`${house.url}/login`);
    await away.getByLabel('User name').waitFor();
    expect(await kept(away)).not.toContain('of-ada-too');
    await signIn(two, 'ada');
    await keyField(two).waitFor();
    expect(await keyField(two).inputValue()).toBe('');
    await type(two, 'again-of-ada');
    await endSession(two);
    await signIn(two, 'bob');
    await keyField(two).waitFor();
    await two.goto(`${house.url}/jobs`);
    await signOut(two, 'bob');
    expect(await kept(two)).toContain('again-of-ada');
  });
});

describe('rights that change under an open page', () => {
  const give = async (username: string, rights: object) => {
    const api = await house.api();
    const { revision } = (await api.get(`/api/users/${username}`)).json;
    expect((await api.call('PATCH', `/api/users/${username}`, { ...rights, revision })).status).toBe(200);
  };

  it('are told by the stream: nothing can be done, then nothing is seen, and all comes back', async () => {
    const { id } = await house.made('jobs', { key: 'seen', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
    await house.made('users', { username: 'cat', password: PASSWORD, role: 'operator' });
    const page = await house.visit(`/jobs/${id}`, { user: 'cat', alone: true, expects: [403] });
    await page.getByRole('button', { name: 'Run now – seen', exact: true }).waitFor();
    await page.locator('[data-live="live"]').waitFor();
    await give('cat', { role: 'viewer' });
    await page
      .getByRole('button', { name: /^Run now.*jobs\.run/ })
      .first()
      .waitFor();
    await give('cat', { role: 'none' });
    await page.getByRole('alert').filter({ hasText: 'Your account has no rights yet' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Jobs', exact: true }).waitFor({ state: 'detached' });
    await give('cat', { role: 'operator' });
    await page.getByRole('button', { name: 'Run now – seen', exact: true }).waitFor();
  });

  it('are found out by a refusal where nothing is told', async () => {
    const { id } = await house.made('jobs', { key: 'refused', group: 'default', handler: 'echo', schedule: { kind: 'manual' } });
    await house.made('users', { username: 'dan', password: PASSWORD, role: 'operator' });
    const page = await house.visit('/overview', { user: 'dan', alone: true, expects: [403] });
    await page.route('**/api/stream?*', (route) => route.abort());
    await page.goto(`${house.url}/jobs/${id}`);
    await house.arrived(page);
    await give('dan', { role: 'viewer' });
    await page.getByRole('button', { name: 'Pause – refused', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await page
      .getByRole('button', { name: /^Pause.*jobs\.pause/ })
      .first()
      .waitFor();
    house.complaints.splice(0, house.complaints.length, ...house.complaints.filter((text) => !/ERR_FAILED/.test(text)));
  });
});

describe('another tab', () => {
  it('leaves the login when somebody signs in beside it, shows whoever it is, and goes with them', async () => {
    const one = await house.visit('/jobs', { user: null });
    await one.getByLabel('User name').waitFor();
    const two = await one.context().newPage();
    await two.goto(`${house.url}/tasks`);
    await signIn(one, 'tab');
    await one.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await two.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    const said = await one.context().request.post(`${house.url}/api/session`, { data: { username: 'bob', password: PASSWORD } });
    expect(said.status()).toBe(200);
    await two.evaluate(() => window.dispatchEvent(new Event('focus')));
    await two.getByRole('button', { name: 'bob', exact: true }).waitFor();
    await two.getByRole('button', { name: 'bob', exact: true }).click();
    await two.getByRole('menuitem', { name: 'Sign out' }).click();
    await two.getByLabel('User name').waitFor();
    await one.getByLabel('User name').waitFor();
    expect(new URL(one.url()).searchParams.get('next')).toBe('/jobs');
  });
});
