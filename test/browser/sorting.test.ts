import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let first: string;
beforeAll(async () => {
  house = await Console.start(['default', 'b-busy', 'c-calm']);
  for (const id of ['w-b', 'w-a', 'w-c']) await house.house.startWorker({ id, slots: 4, groups: ['default'] });
  const job = await house.made('jobs', {
    key: 'waits',
    group: 'b-busy',
    handler: 'echo',
    schedule: { kind: 'manual' },
    overlap: 'allow',
    maxParallel: 99,
  });
  first = job.id;
  await house.made('jobs', { key: 'a-first', group: 'c-calm', handler: 'echo', schedule: { kind: 'manual' } });
  for (let n = 0; n < 3; n++) await house.made(`jobs/${job.id}/trigger`);
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

const order = (page: Page) => page.locator('tr[data-row]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')));
const head = (page: Page, name: string) => page.getByRole('columnheader', { name: new RegExp(`^${name}`) });

describe('a list that is here whole', () => {
  it('is ordered by the head of a column, one way, the other, and as it was; the URL says so', async () => {
    const page = await house.visit('/workers');
    await waitFor('three are listed', async () => (await order(page)).length === 3);
    const worker = head(page, 'Worker');
    await becomes(() => worker.getAttribute('aria-sort'), 'none');
    await worker.getByRole('button').click();
    await waitFor('the last comes first', async () => (await order(page)).join() === 'w-c,w-b,w-a');
    await becomes(() => worker.getAttribute('aria-sort'), 'descending');
    await worker.getByRole('button').press('Enter');
    await waitFor('the first comes first', async () => (await order(page)).join() === 'w-a,w-b,w-c');
    await page.waitForURL((url) => url.searchParams.get('sort') === 'id');
    await worker.getByRole('button').press('Enter');
    await waitFor('it is as it was', () => new URL(page.url()).search === '');

    await page.goto('/groups?sort=-pending');
    await waitFor('the fullest comes first', async () => (await order(page))[0] === 'b-busy');
    await becomes(() => head(page, 'Waiting').getAttribute('aria-sort'), 'descending');
    await page.goto('/groups?sort=-oldest');
    await waitFor('who waits for nothing comes last', async () => (await order(page))[0] === 'b-busy');
    await head(page, 'Oldest waiting').getByRole('button').click();
    await waitFor(
      'either way',
      async () => new URL(page.url()).searchParams.get('sort') === 'oldest' && (await order(page))[0] === 'b-busy',
    );
  });
});

describe('a list that comes in pages', () => {
  it('is ordered by the server, with every filter and the page in the URL', async () => {
    for (let n = 0; n < 20; n++) await house.made(`jobs/${first}/trigger`);
    await house.made('groups/b-busy/hold', { reason: 'window' });
    const page = await house.visit('/tasks?group=b-busy&size=20');
    await waitFor('a page is listed', async () => (await order(page)).length === 20);
    const newest = await order(page);
    expect(await head(page, 'Job / handler').getAttribute('aria-sort')).toBeNull();
    await head(page, 'Task').getByRole('button').click();
    await becomes(() => head(page, 'Task').getAttribute('aria-sort'), 'descending');
    await head(page, 'Task').getByRole('button').click();
    await becomes(() => head(page, 'Task').getAttribute('aria-sort'), 'ascending');
    await waitFor('the oldest comes first', async () => {
      const [oldestOfAll] = await order(page);
      return oldestOfAll && oldestOfAll !== newest[0];
    });
    const oldest = await order(page);
    expect(oldest).toEqual([...oldest].sort());
    await page.getByRole('button', { name: 'Next page' }).click();
    await waitFor('the next ones are listed', async () => {
      const ids = await order(page);
      return ids.length === 3 && ids.every((id) => (id as string) > (oldest.at(-1) as string));
    });
    const rest = await order(page);
    const query = new URL(page.url()).searchParams;
    expect(Object.fromEntries([...query].filter(([name]) => name !== 'after'))).toEqual({
      group: 'b-busy',
      size: '20',
      sort: 'id',
    });
    const again = await house.visit(`/tasks?${query}`);
    await waitFor('the same rows elsewhere', async () => (await order(again)).join() === rest.join());

    await page.goto('/jobs?sort=key&group=c-calm&group=b-busy');
    await waitFor('by key', async () => (await page.locator('tr[data-row] a').first().textContent()) === 'a-first');
    await becomes(() => head(page, 'Job').getAttribute('aria-sort'), 'ascending');
    await head(page, 'Group').getByRole('button').click();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-group');
    await becomes(() => head(page, 'Group').getAttribute('aria-sort'), 'descending');
    await waitFor('by group', async () => (await page.locator('tr[data-row] a').first().textContent()) === 'a-first');
    expect(new URL(page.url()).searchParams.getAll('group')).toEqual(['c-calm', 'b-busy']);
  });
});
