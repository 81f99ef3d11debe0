import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { CountingServer, NEVER_MS } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { ended, steps, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const SLOTS = 4;
const QUEUED = 3;
const MANY = 10;
/** More than two beats long; `DRAIN_LONG_MS` makes it as long as one likes. */
const LONG_MS = Number(process.env.DRAIN_LONG_MS ?? 12_000);

describe.each(ADAPTERS)('a worker that is asked to stop (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create(adapter, ['default', 'long', 'busy']);
    await installation.startNode('n1');
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });
  beforeEach(() => server.hold());

  const submit = async (path: string, group = 'default') =>
    (await client.submit('http', { url: server.url(path) }, { group })).id;
  const running = (ids: string[]) => Promise.all(ids.map((id) => untilTask(client, id, 'RUNNING')));

  it('finishes what it runs and what it has queued, takes no new order, and leaves with exit code 0', async () => {
    const worker = await installation.startWorker({ id: 'leaving', groups: ['default'], slots: SLOTS });
    const taken = await Promise.all(Array.from({ length: SLOTS + QUEUED }, (_, n) => submit(`/taken/${n}`)));
    await running(taken);
    const exit = worker.stop();
    const { dialect } = await installation.look();
    await waitFor('the centre knows that it drains', async () => {
      const rows = await dialect.root.rows<{ state: string }>(
        "SELECT worker_state AS state FROM workers WHERE worker_id = 'leaving'",
      );
      return rows[0]?.state === 'draining';
    });
    const afterwards = await Promise.all([submit('/after/0'), submit('/after/1')]);
    server.release();
    expect(await exit).toBe(0);
    for (const task of await ended(client, taken)) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, attempts: [{ worker: 'leaving' }] });
      expect(steps(task)).toEqual(['>PENDING', 'PENDING>DISPATCHED', 'DISPATCHED>RUNNING', 'RUNNING>SUCCEEDED']);
    }
    for (const id of afterwards) {
      const task = await client.get(id);
      expect(task).toMatchObject({ status: 'PENDING', reason: 'no_worker' });
    }
    await installation.startWorker({ id: 'next', groups: ['default'], slots: SLOTS });
    for (const task of await ended(client, afterwards))
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, attempts: [{ worker: 'next' }] });
    expect(server.repeated).toEqual([]);
    expect(server.total).toBe(SLOTS + QUEUED + 2);
  }, 120_000);

  it(
    'with ten long attempts beats on while they end, and is not taken for lost',
    async () => {
      const worker = await installation.startWorker({ id: 'busy', groups: ['busy'], slots: MANY });
      const params = (n: number) => ({ url: server.url(`/busy/${n}`), timeoutMs: NEVER_MS });
      const ids = await Promise.all(
        Array.from(
          { length: MANY },
          async (_, n) => (await client.submit('http', params(n), { group: 'busy', timeoutMs: 0 })).id,
        ),
      );
      await running(ids);
      const exit = worker.stop();
      const stoppedAt = performance.now();
      const { dialect } = await installation.look();
      const beats = new Set<number>();
      await waitFor(
        'it has beaten while it drained',
        async () => {
          const [row] = await dialect.root.rows<{ state: string; beat: number | string }>(
            "SELECT worker_state AS state, last_beat_at AS beat FROM workers WHERE worker_id = 'busy'",
          );
          if (row?.state === 'draining') beats.add(Number(row.beat));
          return beats.size >= 2 && performance.now() > stoppedAt + LONG_MS;
        },
        LONG_MS + 30_000,
      );
      expect((await client.get(ids[0] as string)).status).toBe('RUNNING');
      server.release();
      expect(await exit).toBe(0);
      for (const task of await ended(client, ids))
        expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1, attempts: [{ worker: 'busy' }] });
    },
    LONG_MS + 120_000,
  );

  it('gives back what does not finish in time, at no cost to its retries, and still leaves with exit code 0', async () => {
    const worker = await installation.startWorker({ id: 'hurried', groups: ['long'], slots: 1, drainMs: 300 });
    const ids = await Promise.all([submit('/long/0', 'long'), submit('/long/1', 'long')]);
    await running(ids);
    expect(await worker.stop()).toBe(0);
    const { dialect } = await installation.look();
    const spent = await dialect.root.rows(
      `SELECT retries, crashes FROM tasks WHERE id IN (${ids.map(() => '?').join(', ')})`,
      ids,
    );
    expect(spent.map((row) => Object.values(row as object).map(Number))).toEqual([
      [0, 0],
      [0, 0],
    ]);
    server.release();
    await installation.startWorker({ id: 'patient', groups: ['long'], slots: 1 });
    for (const task of await ended(client, ids)) {
      expect(task.attempts.map(({ outcome, worker: id }) => [outcome, id])).toEqual([
        ['drained', 'hurried'],
        ['succeeded', 'patient'],
      ]);
      expect(steps(task)[3]).toBe('RUNNING>PENDING drained');
    }
  }, 120_000);
});
