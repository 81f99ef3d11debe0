import { setTimeout as pause } from 'node:timers/promises';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import type { Process } from '../support/processes.js';
import { ADAPTERS } from '../support/services.js';
import { ended, steps, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const TASKS = 120;
/** Longer than any lease: of a partition, and of a worker. */
const AWAY_MS = { embedded: 0, cluster: 20_000 };

describe.each(ADAPTERS)('results while the centre is away (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;
  let node: { process: Process; url: string };
  let worker: Process;
  let client: EvenkeelClient;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create(adapter);
    node = await installation.startNode('n1');
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const submitAll = (path: string) =>
    Promise.all(
      Array.from({ length: TASKS }, async (_, n) => (await client.submit('http', { url: server.url(`/${path}/${n}`) })).id),
    );
  const startAgain = async () => {
    node = await installation.startNode('n1', { PORT: new URL(node.url).port });
  };
  /** The attempts end while nobody can be told. */
  const endUnheard = async (ids: string[]) => {
    server.release();
    await waitFor('every result is on the worker’s disk', () => {
      const journal = installation.journalOf('w1');
      return ids.every((id) => journal.includes(`{"taskId":"${id}","lease":2,"outcome":"succeeded"`));
    });
  };
  const appliedOnce = async (ids: string[]) => {
    for (const task of await ended(client, ids)) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, result: { status: 200 }, attempts: [{ worker: 'w1' }] });
      expect(steps(task)).toEqual(['>PENDING', 'PENDING>DISPATCHED', 'DISPATCHED>RUNNING', 'RUNNING>SUCCEEDED']);
    }
    expect(server.repeated).toEqual([]);
  };

  it('come from the journal once it is back, and each is applied once', async () => {
    server.hold();
    worker = await installation.startWorker({ id: 'w1', slots: TASKS });
    const ids = await submitAll('kept');
    await Promise.all(ids.map((id) => untilTask(client, id, 'RUNNING')));
    await node.process.kill();
    await endUnheard(ids);
    await startAgain();
    await appliedOnce(ids);
  }, 120_000);

  it('come too when the worker was killed and started again meanwhile', async () => {
    server.hold();
    const ids = await submitAll('restarted');
    await Promise.all(ids.map((id) => untilTask(client, id, 'RUNNING')));
    await node.process.kill();
    await endUnheard(ids);
    await worker.kill();
    await pause(AWAY_MS[adapter]);
    await Promise.all([installation.startWorker({ id: 'w1', slots: TASKS, centre: [node.url] }), startAgain()]);
    await appliedOnce(ids);
  }, 120_000);
});
