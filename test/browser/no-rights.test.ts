import { Console, PASSWORD } from './support/console.js';

/** What opening a page asks, of those who may nothing: who one is, what site this is, and no more that is refused. */
let house: Console;
let job: string;
beforeAll(async () => {
  house = await Console.start(['default']);
  job = (await house.made('jobs', { key: 'unseen', group: 'default', handler: 'echo', schedule: { kind: 'manual' } })).id;
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

it('a page that is opened without any right asks nothing that is refused', async () => {
  await house.made('users', { username: 'nobody', password: PASSWORD, role: 'none' });
  const page = await house.visit('/me', { user: 'nobody' });
  await house.arrived(page);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${new URL(response.url()).pathname} ${response.status()}`);
  });
  const told = () => page.getByRole('alert').filter({ hasText: 'Your account has no rights yet' }).waitFor();
  const paths = ['tasks', 'overview', 'keys', 'callbacks', 'users', 'settings', 'system', `jobs/${job}`, `jobs/${job}/edit`];
  for (const path of paths) {
    await page.goto(`${house.url}/${path}`);
    await told();
    await house.arrived(page);
    expect([path, refused]).toEqual([path, []]);
  }
  for (const path of paths) {
    await house.go(page, path);
    await told();
    expect([path, refused]).toEqual([path, []]);
  }
});
