import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
beforeAll(async () => {
  house = await Console.start(['default', 'b-busy', 'c-calm']);
  for (const id of ['w-b', 'w-a', 'w-c']) await house.house.startWorker({ id, slots: 4, groups: ['default'] });
  const job = await house.made('jobs', {
    key: 'waits',
    group: 'b-busy',
    handler: 'echo',
    schedule: { kind: 'manual' },
    overlap: 'allow',
    maxParallel: 9,
  });
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
    expect(await worker.getAttribute('aria-sort')).toBe('none');
    await worker.getByRole('button').click();
    await waitFor('the last comes first', async () => (await order(page)).join() === 'w-c,w-b,w-a');
    expect(await worker.getAttribute('aria-sort')).toBe('descending');
    await worker.getByRole('button').press('Enter');
    await waitFor('the first comes first', async () => (await order(page)).join() === 'w-a,w-b,w-c');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('id');
    await worker.getByRole('button').press('Enter');
    await waitFor('it is as it was', () => new URL(page.url()).search === '');

    await page.goto('/groups?sort=-pending');
    await waitFor('the fullest comes first', async () => (await order(page))[0] === 'b-busy');
    expect(await head(page, 'Waiting').getAttribute('aria-sort')).toBe('descending');
    await page.goto('/groups?sort=-oldest');
    await waitFor('who waits for nothing comes last', async () => (await order(page))[0] === 'b-busy');
    await head(page, 'Oldest').getByRole('button').click();
    await waitFor(
      'either way',
      async () => new URL(page.url()).searchParams.get('sort') === 'oldest' && (await order(page))[0] === 'b-busy',
    );
  });
});
