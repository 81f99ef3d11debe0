import type { Page } from 'playwright-core';
import { becomes, waitFor } from '../support/wait-for.js';
import { Console, PASSWORD } from './support/console.js';

/** Seventy jobs; twenty layers are the two hundred that are drawn at most. */
const LAYERS = Number(process.env.GRAPH_LAYERS ?? 7);
const IN_LAYER = 10;
const inLayer = (layer: number) => new RegExp(`^${keyOf(layer, 0).slice(0, 3)}`);
const keyOf = (layer: number, n: number) => `l${String(layer).padStart(2, '0')}-n${n}`;

let house: Console;
let ids: Map<string, string>;
beforeAll(async () => {
  house = await Console.start(['pay']);
  await house.house.startWorker({ id: 'w1', slots: 4 });
  const jobs = Array.from({ length: LAYERS * IN_LAYER }, (_, i) => {
    const [layer, n] = [Math.floor(i / IN_LAYER), i % IN_LAYER];
    const waits = layer > 0 ? { upstreams: [keyOf(layer - 1, n)] } : {};
    return {
      group: 'pay',
      key: keyOf(layer, n),
      handler: 'echo',
      schedule: { kind: layer > 0 ? 'upstream' : 'manual' },
      ...waits,
    };
  });
  const file = { schema: 'evenkeel.configuration', schemaVersion: 1, groups: [], jobs };
  const { errors } = await house.made('import', { fileText: JSON.stringify(file) });
  expect(errors).toEqual([]);
  const { nodes } = (await (await house.api()).get('/api/graph')).json;
  ids = new Map(nodes.map(({ id, key }: { id: string; key: string }) => [key, id]));
  expect(ids.size).toBe(LAYERS * IN_LAYER);
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

/** As it is read out. */
const focused = (page: Page) =>
  page.evaluate(() => [...(document.activeElement?.children ?? [])].map((part) => part.textContent).join(' · '));
const focusIs = (page: Page, wanted: RegExp) => waitFor(`${wanted} has the focus`, async () => wanted.test(await focused(page)));
const viewport = (page: Page) => page.locator('.react-flow__viewport').getAttribute('style');
/** Once it is drawn it is moved so that all of it, or what has the focus, is in sight. */
async function resting(page: Page): Promise<string | null> {
  let last: string | null = null;
  await waitFor('it stands still', async () => {
    const before = last;
    await house.arrived(page);
    last = await viewport(page);
    return last === before;
  });
  return last;
}
const nodesOf = (page: Page) => page.getByRole('region', { name: 'Dependencies' }).locator('button[data-node]');

describe('the graph of jobs', () => {
  it('draws every job and is walked with the keyboard, always in sight', async () => {
    const page = await house.visit('/graph');
    await becomes(() => nodesOf(page).count(), LAYERS * IN_LAYER);
    // One stop for Tab; from there on arrows.
    await becomes(() => nodesOf(page).and(page.locator('[tabindex="0"]')).count(), 1);
    await nodesOf(page).and(page.locator('[tabindex="0"]')).focus();
    await focusIs(page, /^l00-n\d · never ran · Paused · pay · waits for 0, awaited by 1$/);
    const first = await focused(page);
    const line = first.slice(4, 6);
    for (let layer = 1; layer < LAYERS; layer++) {
      await page.keyboard.press('ArrowRight');
      await focusIs(page, new RegExp(`^l${String(layer).padStart(2, '0')}-${line} · .*waits for 1`));
    }
    await waitFor('it is in sight', async () => {
      const box = await page.locator(':focus').boundingBox();
      const frame = await page.getByRole('region', { name: 'Dependencies' }).boundingBox();
      return box && frame && box.x >= frame.x && box.x + box.width <= frame.x + frame.width + 1;
    });
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toMatch(inLayer(LAYERS - 1));
    await page.keyboard.press('ArrowDown');
    await focusIs(page, new RegExp(`${inLayer(LAYERS - 1).source}(?!-${line} )`));
    await page.keyboard.press('ArrowLeft');
    await focusIs(page, inLayer(LAYERS - 2));
    await page.keyboard.press('Home');
    await focusIs(page, inLayer(0));
    await becomes(() => focused(page), first);
    await page.keyboard.press('Enter');
    await page.waitForURL(/job=job_/);
    await page.getByRole('complementary', { name: first.slice(0, 6) }).waitFor();
  });

  it('has a list with the same content', async () => {
    const page = await house.visit('/graph?view=list');
    const list = page.getByRole('region', { name: 'Dependencies as a list' });
    const names = async () => (await list.locator('tbody tr td:first-child a').allTextContents()).sort();
    await becomes(names, [...ids.keys()].sort());
    const row = list.locator('tbody tr', { hasText: 'l03-n3' }).first();
    expect(await row.textContent()).toMatch(/level 4.*l03-n3.*l02-n3 · after success/);
    await list.getByRole('button', { name: 'Centre on it – l03-n3' }).click();
    await page.waitForURL(/focus=job_/);
    await waitFor('seven are left', async () => (await list.locator('tbody tr').count()) === 7);
  });

  it('keeps focus and distance in the URL, and nothing moves when figures change', async () => {
    const id = ids.get(keyOf(0, 4)) as string;
    const page = await house.visit(`/graph?focus=${id}&depth=1`);
    await page.getByRole('heading', { level: 1, name: /l00-n4/ }).waitFor();
    await waitFor('it and its neighbour', async () => (await nodesOf(page).count()) === 2);
    const node = page.getByRole('button', { name: /^l00-n4 never ran/ });
    await node.focus();
    const before = await resting(page);
    await house.made(`jobs/${id}/trigger`, { force: true });
    await page.getByRole('button', { name: /^l00-n4 Succeeded/ }).waitFor();
    await focusIs(page, /^l00-n4 · Succeeded/);
    expect(await viewport(page)).toBe(before);
    await page.getByRole('button', { name: 'Whole graph' }).click();
    await becomes(() => nodesOf(page).count(), LAYERS * IN_LAYER);
    await page.waitForURL((url) => url.search === '');
  });

  it('says that nothing matches where a filter finds nothing, and clears it', async () => {
    const page = await house.visit('/graph?group=none');
    await page.getByText('No dependencies match the filter').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await nodesOf(page).first().waitFor();
    await page.waitForURL((url) => url.search === '');
  });

  it('says so when there is nothing to draw', async () => {
    await house.made('groups', { key: 'bare' });
    await house.made('users', { username: 'newcomer', password: PASSWORD, role: 'none', grants: { bare: 'viewer' } });
    const page = await house.visit('/graph', { user: 'newcomer' });
    await page.getByText('No dependencies yet').waitFor();
    await page.getByRole('link', { name: 'Job list' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  });
});
