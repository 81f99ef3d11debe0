import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { freePort } from '../support/free-port.js';
import { Installation, type RunningNode } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { WorkerProxy } from '../support/worker-proxy.js';
import { startDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 3);
const PER_SECOND = 20;
const KILL_EVERY_MS = 20_000;
const GROUPS = ['a', 'b', 'c', 'd', 'e'];
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

async function count(scenario: string, planned: number, server: CountingServer, backends: Backends): Promise<SoakRow> {
  const { size } = server.calls;
  const row = { scenario, planned, executed: size, doubled: server.repeated.length, lost: planned - size };
  const kept = { ...row, lateness: await startDelays(backends) };
  rows.push(kept);
  return kept;
}

describe('three nodes under load, one of them killed every 20 seconds', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  const ports: number[] = [];

  beforeAll(async () => {
    server = await CountingServer.start(50);
    installation = await Installation.create('cluster', GROUPS);
    backends = await installation.database.open();
    for (let n = 0; n < 3; n++) ports.push(await freePort());
    await Promise.all(ports.map((_, n) => startNode(n)));
    const centre = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const id of ['w1', 'w2', 'w3']) await installation.startWorker({ id, slots: 20, centre });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const startNode = (n: number) => installation.startNode(`n${n}`, { PORT: String(ports[n]) });
  const alive = () => installation.nodes.filter(({ process }) => !process.hasEnded);

  it(
    'runs each of its tasks exactly once',
    async () => {
      const until = performance.now() + MINUTES * 60_000;
      const kills = (async () => {
        for (let n = 0; performance.now() + KILL_EVERY_MS < until; n = (n + 1) % 3) {
          await pause(KILL_EVERY_MS);
          await alive()
            .find(({ id }) => id === `n${n}`)
            ?.process.kill();
          await startNode(n);
        }
      })();
      let planned = 0;
      while (performance.now() < until) {
        const items = Array.from({ length: PER_SECOND }, () => {
          planned += 1;
          const params = { url: server.url(`/task/${planned}`) };
          return { handler: 'http', group: GROUPS[planned % GROUPS.length], params, clientRequestId: `task-${planned}` };
        });
        await submitSomewhere(items);
        await pause(1_000);
      }
      await kills;
      await waitFor('every task has ended', async () => (await endedTasks(backends)) === planned, 180_000).catch(
        async (error) => {
          throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
        },
      );
      const row = await count('3 nodes, kill -9 every 20 s', planned, server, backends);
      expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
      expect(await tasksByState(backends)).toEqual({ SUCCEEDED: planned });
    },
    MINUTES * 60_000 + 400_000,
  );

  /** Whatever node answers: the same clientRequestIds make no second task. */
  async function submitSomewhere(items: object[]): Promise<void> {
    for (;;) {
      const node = alive()[Math.floor(Math.random() * alive().length)] as RunningNode | undefined;
      try {
        if (node) {
          await installation.client(node.url, 2_000).submitBatch(items as never);
          return;
        }
      } catch {
        // It was the one that was just killed.
      }
      await pause(200);
    }
  }
});

describe('two hundred orders whose first answer is swallowed', () => {
  const TIMES = 200;
  let installation: Installation;
  let server: CountingServer;
  let proxy: WorkerProxy;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start(20);
    const port = await freePort();
    proxy = await WorkerProxy.before(port);
    installation = await Installation.create('cluster', ['default']);
    backends = await installation.database.open();
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 40, port, advertiseUrl: proxy.url });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
    await proxy?.stop();
  });

  it('run once each', async () => {
    const client = installation.client();
    for (let n = 0; n < TIMES; n++) {
      const met = proxy.met.swallow;
      proxy.passage = 'swallow';
      const { id } = await client.submit('http', { url: server.url(`/order/${n}`) });
      await waitFor('its answer was swallowed', () => proxy.met.swallow > met);
      proxy.passage = 'pass';
      expect(await client.wait(id, { timeoutMs: 60_000 })).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    }
    const row = await count('answer to an order swallowed', TIMES, server, backends);
    expect(row).toMatchObject({ executed: TIMES, doubled: 0, lost: 0 });
  }, 900_000);
});
