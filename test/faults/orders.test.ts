import type { TaskView } from '@evenkeel/sdk/contract';
import type { Backends } from '../../src/backends/backends.js';
import { partitionOf } from '../../src/decisions/partitioning.js';
import { CountingServer } from '../support/counting-server.js';
import { freePort } from '../support/free-port.js';
import { Installation, type RunningNode } from '../support/installation.js';
import { endedTasks, evenlyHeld, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { WorkerProxy } from '../support/worker-proxy.js';

const GROUP = 'default';

/** Orders whose delivery is disturbed while a node dies, freezes or lives on. Every call of a handler is counted. */
describe('an order that is disturbed on its way', () => {
  let installation: Installation;
  let server: CountingServer;
  let proxy: WorkerProxy;
  let backends: Backends;
  let ports: number[];
  let made = 0;

  beforeAll(async () => {
    server = await CountingServer.start(100);
    const port = await freePort();
    proxy = await WorkerProxy.before(port);
    installation = await Installation.create('cluster', [GROUP]);
    backends = await installation.database.open();
    ports = [await freePort(), await freePort(), await freePort()];
    await startNode(1);
    const centre = ports.map((each) => `http://127.0.0.1:${each}`);
    await installation.startWorker({ id: 'w1', slots: 40, port, advertiseUrl: proxy.url, centre });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
    await proxy?.stop();
  });

  const startNode = (n: number) => installation.startNode(`n${n}`, { PORT: String(ports[n - 1]) });

  async function holder(): Promise<string> {
    return waitFor('the partition is held', async () => {
      const [row] = await backends.dialect.root.rows<{ holder: string | null }>(
        `SELECT holder FROM partitions WHERE partition_no = ? AND expires_at > ${backends.dialect.nowMs}`,
        [partitionOf(GROUP)],
      );
      return row?.holder;
    });
  }

  const survivor = () => installation.nodes.find(({ process }) => !process.hasEnded) as RunningNode;

  async function submit(count: number, via = survivor()): Promise<string[]> {
    const items = Array.from({ length: count }, () => {
      made += 1;
      return { handler: 'http', params: { url: server.url(`/task/${made}`) }, clientRequestId: `task-${made}` };
    });
    const answer = await installation.client(via.url).submitBatch(items);
    return answer.results.map(({ task }) => task?.id as string);
  }

  async function ended(ids: string[], via = survivor()): Promise<TaskView[]> {
    await waitFor('every task has ended', async () => (await endedTasks(backends)) === made, 90_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    const client = installation.client(via.url);
    return Promise.all(ids.map((id) => client.get(id)));
  }

  function expectEachOnce(tasks: TaskView[]): void {
    expect(tasks.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(tasks.map(() => 'SUCCEEDED 1'));
    expect(tasks.map(({ timeline }) => timeline.map(({ to }) => to).join())).toEqual(
      tasks.map(() => 'PENDING,DISPATCHED,RUNNING,SUCCEEDED'),
    );
    expect(server.repeated).toEqual([]);
    expect(server.calls.size).toBe(made);
  }

  it('runs once although its answers are swallowed again and again', async () => {
    proxy.passage = 'swallow';
    server.delayMs = 1_000;
    const ids = await submit(200);
    await waitFor('answers were swallowed more than once', () => proxy.met.swallow >= 3);
    server.delayMs = 100;
    proxy.passage = 'pass';
    expectEachOnce(await ended(ids));
  }, 120_000);

  it('is sent by the next holder when the node dies between claim and order', async () => {
    await startNode(2);
    proxy.passage = 'keep';
    const ids = await submit(20);
    await waitFor('the order is on its way', () => proxy.met.keep > 0);
    await installation.node(await holder()).process.kill();
    proxy.passage = 'pass';
    expectEachOnce(await ended(ids));
  }, 180_000);

  it('is sent again by the next holder when the node dies between order and answer, and runs once', async () => {
    await startNode(3);
    const before = server.calls.size;
    proxy.passage = 'swallow';
    const ids = await submit(20);
    await waitFor('the worker has begun', () => server.calls.size > before);
    await installation.node(await holder()).process.kill();
    proxy.passage = 'pass';
    expectEachOnce(await ended(ids));
  }, 180_000);
});

describe('a node that is frozen past its lease', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start(20);
    installation = await Installation.create('cluster', [GROUP]);
    backends = await installation.database.open();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await installation.startWorker({ id: 'w1', slots: 2 });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  it('changes nothing when it thaws: the other has gone on, and nothing runs twice', async () => {
    const row = async () =>
      (
        await backends.dialect.root.rows<{ holder: string; epoch: number }>(
          'SELECT holder, epoch FROM partitions WHERE partition_no = ?',
          [partitionOf(GROUP)],
        )
      )[0];
    await evenlyHeld(backends, 2);
    const first = (await row()) as { holder: string; epoch: number };
    const frozen = installation.node(first.holder);
    const other = installation.node(first.holder === 'n1' ? 'n2' : 'n1');
    const TASKS = 400;
    const items = Array.from({ length: TASKS }, (_, i) => ({
      handler: 'http',
      params: { url: server.url(`/t/${i}`) },
      clientRequestId: `t-${i}`,
    }));
    await installation.client(other.url).submitBatch(items);
    await waitFor('some have run', () => server.calls.size > 20);
    frozen.process.freeze();
    await waitFor(
      'the other holds the partition, an epoch on',
      async () => {
        const now = await row();
        return now?.holder !== first.holder && (now?.epoch ?? 0) > first.epoch;
      },
      60_000,
    );
    await waitFor('the other dispatches', () => server.calls.size > 60, 60_000);
    frozen.process.thaw();
    await waitFor('every task has ended', async () => (await endedTasks(backends)) === TASKS, 120_000);
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: TASKS });
    expect(server.calls.size).toBe(TASKS);
    expect(server.repeated).toEqual([]);
  }, 240_000);
});
