import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for.js';
import { Console } from './support/console.js';

let house: Console;
let ids: Map<string, string>;
beforeAll(async () => {
  house = await Console.start(['pay']);
  await house.house.startWorker({ id: 'w1', slots: 4 });
  ids = new Map();
  const make = async (key: string, schedule: object, upstreams?: string[]) =>
    ids.set(key, (await house.made('jobs', { key, group: 'pay', handler: 'echo', schedule, upstreams })).id);
  await make('extract', { kind: 'manual' });
  await make('load', { kind: 'upstream' }, ['extract']);
  await make('report', { kind: 'upstream' }, ['load']);
  await make('other', { kind: 'manual' });
  await make('beside', { kind: 'upstream' }, ['load', 'other']);
}, 120_000);
afterAll(() => house?.stop());
afterEach(() => house.settle());

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
const read = async (path: string): Promise<any> => (await (await house.api()).get(`/api/${path}`)).json;
const idOf = (key: string) => ids.get(key) as string;
const node = (page: Page, name: RegExp) => page.getByRole('region', { name: 'Dependencies' }).getByRole('button', { name });

describe('one flow in the graph', () => {
  it('is reached from a task of it, and shows what became of each job in it', async () => {
    const { taskId } = await house.made(`jobs/${idOf('extract')}/trigger`);
    await waitFor('the chain has run', async () => (await read(`tasks?flowId=${taskId}&state=SUCCEEDED`)).items.length === 3);
    // Another run of one of them, which is not of this flow.
    const later = (await house.made(`jobs/${idOf('extract')}/trigger`)).taskId;
    const page = await house.visit(`/tasks/${taskId}?tab=related`);
    await page.getByRole('region', { name: 'Downstream tasks' }).getByRole('link', { name: 'pay/load' }).waitFor();
    await page.getByRole('link', { name: 'This flow in the graph' }).click();
    await page.waitForURL(new RegExp(`flow=${taskId}`));
    await node(page, /^extract Succeeded/).waitFor();
    await node(page, /^report Succeeded/).waitFor();
    await node(page, /^other no task in this flow(?! yet)/).waitFor();
    await node(page, /^extract/).click();
    const card = page.getByRole('complementary', { name: 'extract' });
    await card.getByText('In this flow').waitFor();
    // The job itself has run again since.
    await card.getByText('Last task').waitFor();
    await card.getByText('Awaited by 1').waitFor();
    expect(await card.getByRole('link', { name: 'Succeeded' }).last().getAttribute('href')).toContain(taskId);
    await page.getByText('List', { exact: true }).click();
    const row = page.getByRole('region', { name: 'Dependencies as a list' }).locator('tbody tr', { hasText: 'extract' }).first();
    expect(await row.getByRole('link', { name: 'Succeeded' }).getAttribute('href')).toContain(taskId);
    await page.getByRole('button', { name: 'close' }).first().click();
    await page.waitForURL((url) => !url.searchParams.has('flow'));
    await waitFor('the second run has ended', async () => (await read(`tasks/${later}`)).state === 'SUCCEEDED');
  });

  it('can be run and stopped with all that waits', async () => {
    const page = await house.visit(`/graph?focus=${idOf('load')}&job=${idOf('load')}`);
    const card = page.getByRole('complementary', { name: 'load' });
    await card.getByRole('button', { name: /^Run now/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the jobs that wait for nothing else go on').waitFor();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await waitFor('it was run', async () => (await read(`tasks?job=${idOf('load')}&trigger=manual`)).items.length === 1);
    await dialog.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Pause it and what waits for it (3 jobs)' }).click();
    await dialog.getByRole('textbox').fill('the source is down');
    await dialog.getByRole('button', { name: /3/ }).click();
    await page.waitForURL(/\/bulk\/bulk_/);
    const states = async () =>
      Promise.all(['extract', 'load', 'report', 'beside'].map(async (key) => (await read(`jobs/${idOf(key)}`)).state));
    await waitFor('the chain is paused', async () => (await states()).join() === 'active,paused,paused,paused');
  });
});

describe('the list of the graph', () => {
  it('shows a job below each job it waits for: in full below the first, by its name below the others', async () => {
    const page = await house.visit('/graph?view=list');
    const list = page.getByRole('region', { name: 'Dependencies as a list' });
    const rows = list.locator('tbody tr');
    await rows.first().waitFor();
    const told = (await rows.allTextContents()).map((text) =>
      /└? ?level \d(extract|load|beside|report|other)(listed above)?/.exec(text),
    );
    expect(told.map((match) => match?.slice(1).join(' ').trim())).toEqual([
      'extract',
      'load',
      'beside',
      'report',
      'other',
      'beside listed above',
    ]);
    expect(await rows.nth(2).textContent()).toContain('load, other · after success');
    expect(await rows.nth(5).getByRole('button').count()).toBe(0);
  });
});

describe('a job that waits for a stopped one', () => {
  it('says because of which jobs it does not run, and names them', async () => {
    await house.made(`jobs/${idOf('load')}/pause`);
    const page = await house.visit(`/jobs/${idOf('report')}`);
    const warning = page.getByRole('alert').filter({ hasText: 'does not run by itself until they are resumed' });
    await warning.getByRole('link', { name: 'pay/load' }).waitFor();
    await house.made(`jobs/${idOf('load')}/resume`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /report/ }).waitFor();
    await house.arrived(page);
    expect(await warning.count()).toBe(0);
  });
});

describe('the page of the graph', () => {
  it.each([1_000, 640])('ends where its window does, %i pixels high', async (height) => {
    const page = await house.visit('/graph');
    await page.setViewportSize({ width: 1_280, height });
    await node(page, /^extract/).waitFor();
    await page.getByText('React Flow').waitFor();
    const over = () =>
      page.evaluate(() => {
        const main = document.querySelector('main') as HTMLElement;
        const bottom = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().bottom ?? 0;
        return {
          scrolls: main.scrollHeight - main.clientHeight,
          frame: bottom('.graph-frame') <= innerHeight,
          mark: bottom('.react-flow__attribution') <= bottom('.graph-frame'),
        };
      });
    await waitFor('it fits', async () => {
      const { scrolls, frame, mark } = await over();
      return scrolls <= 0 && frame && mark;
    });
  });
});
