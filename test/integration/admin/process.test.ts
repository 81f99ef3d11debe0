import { AdminBrowser as Browser, PASSWORD } from '../../support/admin-browser.js';
import { Installation } from '../../support/installation.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';

describe.each(ADAPTERS)('a night on call (%s)', (adapter) => {
  let installation: Installation;
  let url: string;
  beforeAll(async () => {
    installation = await Installation.create(adapter, ['default']);
    url = (await installation.startNode('n1', { EVENKEEL_ADMIN_PASSWORD: PASSWORD })).url;
    await installation.startWorker({ id: 'w1', slots: 4 });
  }, 120_000);
  afterAll(() => installation?.remove());

  it('signs in, sees what runs and why, cancels it, finds it in the log, and hears of it in the stream', async () => {
    const browser = new Browser(url);
    expect((await browser.post('/api/session', { username: 'admin', password: PASSWORD })).status).toBe(200);
    const { id } = await installation.client().submit('sleep', { ms: 60_000 });
    const running = await waitFor('the task runs', async () => {
      const { items } = (await browser.get('/api/tasks?state=RUNNING')).json;
      return items.find((task: { id: string }) => task.id === id);
    });
    expect(running).toMatchObject({ worker: 'w1', group: 'default', handler: 'sleep', app: { name: 'test' }, late: false });
    expect((await browser.get(`/api/tasks/${id}/explain`)).json).toMatchObject({
      verdict: { kind: 'nothing_to_do' },
      funnel: { online: 1, handler: 1 },
      candidates: [{ worker: 'w1', chosen: true }],
    });

    const abort = new AbortController();
    const stream = await fetch(`${url}/api/stream?topics=task:${id}`, {
      headers: { cookie: browser.cookie as string },
      signal: abort.signal,
    });
    let heard = '';
    void (async () => {
      const decoder = new TextDecoder();
      for await (const part of stream.body as unknown as AsyncIterable<Uint8Array>) heard += decoder.decode(part);
    })().catch(() => {});

    expect((await browser.post(`/api/tasks/${id}/cancel`, { reason: 'stuck' })).status).toBe(202);
    const detail = await waitFor('the task is cancelled', async () => {
      const { json } = await browser.get(`/api/tasks/${id}`);
      return json.state === 'CANCELLED' ? json : null;
    });
    expect(detail.attempts).toMatchObject([{ attempt: 1, worker: 'w1', outcome: 'cancelled' }]);
    await waitFor('the stream tells of the task', () => heard.includes(`task:${id}`));
    const [entry] = (await browser.get(`/api/audit?objectId=${id}`)).json.items;
    expect(entry).toMatchObject({ actor: 'user:admin', action: 'task.cancelled', reason: 'stuck', group: 'default' });

    const worker = (await browser.get('/api/workers/w1')).json;
    expect(worker).toMatchObject({ state: 'online', groups: ['default'] });
    const overview = (await browser.get('/api/overview')).json;
    expect(overview.firstSteps).toMatchObject({ group: true, worker: true, task: true });
    expect(overview.tiles.running.capacity).toBe(4);
    await waitFor('the charts show the outcome', async () => {
      const { buckets } = (await browser.get('/api/overview/charts?range=1h')).json;
      return buckets.some(({ cancelled }: { cancelled: number }) => cancelled > 0);
    });
    const system = (await browser.get('/api/system')).json;
    expect(system.nodes).toMatchObject([{ id: 'n1', live: true }]);
    expect(system.nodes[0].partitions).toHaveLength(16);
    expect((await browser.get('/api/settings')).text).not.toContain(PASSWORD);
    // With the stream still open.
    expect(await installation.node('n1').process.stop()).toBe(0);
    abort.abort();
  }, 120_000);
});
