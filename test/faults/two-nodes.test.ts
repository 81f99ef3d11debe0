import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['pay', 'mail', 'report', 'sync', 'render', 'index'];
const TASKS = 2_000;

describe('two nodes on one database', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start(5);
    installation = await Installation.create('cluster', GROUPS);
    // Either may be ready first.
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2', 'w3']) await installation.startWorker({ id, slots: 20 });
    backends = await installation.database.open();
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const holders = async () => {
    const rows = await backends.dialect.root.rows<{ holder: string | null; n: number | string }>(
      'SELECT holder, COUNT(*) AS n FROM partitions GROUP BY holder',
    );
    return Object.fromEntries(rows.map(({ holder, n }) => [holder, Number(n)]));
  };

  it('share the sixteen partitions evenly', async () => {
    await waitFor(
      'both hold eight',
      async () => {
        const held = await holders();
        return held.n1 === 8 && held.n2 === 8;
      },
      60_000,
    );
  }, 90_000);

  it('run two thousand tasks of several groups on three workers, each exactly once, although one node is killed in the middle', async () => {
    const clients = installation.nodes.map(({ url }) => installation.client(url));
    for (let from = 0; from < TASKS; from += 100) {
      const items = Array.from({ length: 100 }, (_, i) => ({
        handler: 'http',
        group: GROUPS[(from + i) % GROUPS.length],
        params: { url: server.url(`/task/${from + i}`) },
        clientRequestId: `task-${from + i}`,
      }));
      await clients[(from / 100) % 2]?.submitBatch(items);
    }
    await waitFor('some tasks have ended', async () => (await endedTasks(backends)) > TASKS / 10, 60_000);
    await installation.node('n1').process.kill();
    await waitFor('every task has ended', async () => (await endedTasks(backends)) === TASKS, 120_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: TASKS });
    expect(server.calls.size).toBe(TASKS);
    expect(server.repeated).toEqual([]);
  }, 240_000);

  it('leave all partitions to the one that is left', async () => {
    await waitFor('n2 holds sixteen', async () => (await holders()).n2 === 16, 60_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await holders())}\n${installation.output}`);
    });
  }, 90_000);

  it('hand over at once when a node is stopped, with exit code 0', async () => {
    const node = await installation.startNode('n3');
    await waitFor('n3 holds eight', async () => (await holders()).n3 === 8, 60_000);
    expect(await node.process.stop()).toBe(0);
    expect((await holders()).n3).toBeUndefined();
    await waitFor('n2 holds them again', async () => (await holders()).n2 === 16, 60_000);
  }, 180_000);
});
