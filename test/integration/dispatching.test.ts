import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { EvenkeelClient, TaskView } from '@evenkeel/sdk/client';
import { CountingServer } from '../support/counting-server.js';
import { FullWorker } from '../support/full-worker.js';
import { Installation } from '../support/installation.js';
import { tasksByState } from '../support/progress.js';
import { ADAPTERS } from '../support/services.js';
import { ended } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['lonely', 'ranked', 'mixed', 'crowded', 'limited'];
const LIMIT = 10;
const MANY = 300;

describe.each(ADAPTERS)('who runs what, and when (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;

  beforeAll(async () => {
    server = await CountingServer.start(30);
    installation = await Installation.create(adapter, GROUPS, LIMIT);
    await installation.startNode('n1');
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const submit = async (group: string, path: string, priority = 5) =>
    (await client.submit('http', { url: server.url(path) }, { group, priority })).id;

  it('without a worker a task waits and says so, and starts as soon as one is there', async () => {
    const id = await submit('lonely', '/lonely');
    expect(await client.get(id)).toMatchObject({ status: 'PENDING', reason: 'no_worker', attempt: 1, attempts: [] });
    await installation.startWorker({ id: 'late', groups: ['lonely'] });
    const task = await client.wait(id, { timeoutMs: 30_000 });
    expect(task).toMatchObject({ status: 'SUCCEEDED', attempts: [{ worker: 'late' }] });
    expect(task.timeline.map(({ to }) => to)).toEqual(['PENDING', 'DISPATCHED', 'RUNNING', 'SUCCEEDED']);
  }, 60_000);

  it('a higher priority goes first inside a group, and among equals the older', async () => {
    const priorities = [5, 1, 10, 3, 8, 2, 9, 4, 7, 6];
    const ids: string[] = [];
    for (const round of ['a', 'b'])
      for (const priority of priorities) ids.push(await submit('ranked', `/ranked/${String(10 - priority)}${round}`, priority));
    await installation.startWorker({ id: 'single', groups: ['ranked'], slots: 1 });
    await ended(client, ids);
    const called = [...server.calls.keys()].filter((path) => path.startsWith('/ranked/'));
    expect(called).toHaveLength(ids.length);
    expect(called).toEqual([...called].sort());
  }, 60_000);

  it('an urgent task of another handler has the last free place, not the next task of the handler that comes first', async () => {
    const first = await submit('mixed', '/mixed/first', 9);
    const urgent = (await client.submit('sleep', { ms: 50 }, { group: 'mixed', priority: 9 })).id;
    const usual = await Promise.all(Array.from({ length: 12 }, (_, n) => submit('mixed', `/mixed/${n}`)));
    await installation.startWorker({ id: 'pair', groups: ['mixed'], slots: 2 });
    const tasks = await ended(client, [first, urgent, ...usual]);
    const startOf = (task?: TaskView) => Date.parse(task?.timeline.find(({ to }) => to === 'DISPATCHED')?.at ?? '');
    const [, one, ...others] = tasks;
    expect(others.filter((task) => startOf(task) < startOf(one)).map(({ id }) => id)).toEqual([]);
  }, 60_000);

  it('a worker that is full is believed, another is asked, and nothing is lost', async () => {
    const full = await FullWorker.register(installation, { id: 'full', group: 'crowded', handler: 'http' });
    try {
      const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => submit('crowded', `/crowded/${n}`)));
      await waitFor('each was refused several times', () => ids.every((id) => full.refusalsOf(id) >= 3));
      const [some] = ids as [string];
      await waitFor('it is back in the queue', async () => (await client.get(some)).status === 'PENDING');
      await installation.startWorker({ id: 'free', groups: ['crowded'] });
      for (const task of await ended(client, ids)) {
        expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, attempts: [{ worker: 'free' }] });
        expect(foldedRefusals(task, 'busy')).toEqual([full.refusalsOf(task.id)]);
      }
    } finally {
      await full.leave();
    }
    expect(server.callsBelow('/crowded/')).toEqual(Array(8).fill(1));
  }, 90_000);

  it('a group never runs more than it may, however many wait', async () => {
    await installation.startWorker({ id: 'wide', groups: ['limited'], slots: 50 });
    await installation.startWorker({ id: 'wider', groups: ['limited'], slots: 50 });
    const items = Array.from({ length: MANY }, (_, n) => ({
      handler: 'http',
      group: 'limited',
      params: { url: server.url(`/limited/${n}`) },
      clientRequestId: `limited-${n}`,
    }));
    const answer = await client.submitBatch(items);
    expect(answer.summary.accepted).toBe(MANY);
    const backends = await installation.look();
    const samples: number[] = [];
    const deadline = performance.now() + 60_000;
    for (let left = MANY; left > 0 && performance.now() < deadline; ) {
      const { PENDING = 0, DISPATCHED = 0, RUNNING = 0 } = await tasksByState(backends);
      samples.push(DISPATCHED + RUNNING);
      left = PENDING + DISPATCHED + RUNNING;
      await turnOfTheLoop();
    }
    expect(server.callsBelow('/limited/')).toEqual(Array(MANY).fill(1));
    expect(samples.length).toBeGreaterThan(10);
    expect(Math.max(...samples)).toBeLessThanOrEqual(LIMIT);
    expect(Math.max(...samples)).toBeGreaterThan(LIMIT / 2);
    expect(server.mostAtOnce).toBeLessThanOrEqual(LIMIT);
  }, 120_000);
});

/** How many refusals each of the timeline's entries with that reason stands for. */
function foldedRefusals(task: TaskView, reason: string): number[] {
  return task.timeline.filter((entry) => entry.reason === reason).map(({ count }) => count ?? 1);
}
