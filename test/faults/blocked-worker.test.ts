import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { WorkerProcess } from '../../sdk/test/worker-process.js';
import { Installation } from '../support/installation.js';
import { untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

/** Longer than a silent worker would be called lost; `BLOCKED_WORKER_MS` makes it as long as one likes. */
const BLOCK_MS = Number(process.env.BLOCKED_WORKER_MS ?? 25_000);
const LIMIT_MS = 2_000;
const LATE_MS = 60_000;

describe('a handler that blocks the event loop of its worker', () => {
  let installation: Installation;
  let client: EvenkeelClient;
  let worker: WorkerProcess;

  beforeAll(async () => {
    installation = await Installation.create('embedded');
    const { url } = await installation.startNode('n1');
    client = installation.client();
    const { accessKey, secret } = installation.workerKey;
    const dataDir = installation.folder().path;
    worker = new WorkerProcess({ centre: url, key: accessKey, secret, groups: ['default'], workerId: 'blocked', dataDir });
  }, 120_000);
  afterAll(async () => {
    await worker?.end('SIGKILL');
    await installation?.remove();
  });

  const stored = async () => {
    const { dialect } = await installation.look();
    const [row] = await dialect.root.rows<{ incarnation: string; worker_state: string }>(
      "SELECT incarnation, worker_state FROM workers WHERE worker_id = 'blocked'",
    );
    return row;
  };

  it(
    'does not make the worker lost: it gets no new orders, the attempt is waited for beyond its limit, and nobody follows it before',
    async () => {
      await waitFor('it is registered', stored);
      const before = await stored();
      const job = await client.createJob({
        key: 'blocking',
        handler: 'block',
        params: { ms: BLOCK_MS },
        schedule: { kind: 'manual' },
        overlap: 'queue',
        timeoutMs: LIMIT_MS,
        retry: { kind: 'none' },
      });
      const { id: first } = await client.triggerJob(job.id);
      const { startedAt } = await untilTask(client, first, 'RUNNING');
      const seen = new Set<string>();
      const look = async () => {
        const task = await client.get(first);
        if (task.status === 'RUNNING') seen.add(task.reason ?? 'in time');
        return task;
      };
      await look();
      const { id: next } = await client.triggerJob(job.id, { params: { ms: 100 } });
      // A worker says every five seconds how it is: what is ordered before it says so waits in its queue.
      await waitFor('its report says that it has no room', async () => {
        const { id } = await client.submit('echo', null, { priority: 1 });
        return (await client.get(id)).reason === 'workers_busy';
      });
      const { id: other } = await client.submit('echo', 'later');

      const last = await waitFor(
        'the block is over',
        async () => {
          const [follower, third] = await Promise.all([next, other].map((id) => client.get(id)));
          // It still runs after the others were looked at, so it did when they were.
          const task = await look();
          if (task.status !== 'RUNNING') return task;
          expect([follower?.status, follower?.reason]).toEqual(['BLOCKED', 'waiting_for_turn']);
          expect([third?.status, third?.reason]).toEqual(['PENDING', 'workers_busy']);
          expect(await stored()).toEqual(before);
          return null;
        },
        BLOCK_MS + LATE_MS,
      );
      expect([...seen]).toEqual(['in time', 'waiting_for_abort']);
      expect(last).toMatchObject({ status: 'TIMED_OUT', attempt: 1 });
      const endedAt = Date.parse(startedAt as string) + BLOCK_MS;

      const follower = await client.wait(next, { timeoutMs: LATE_MS });
      expect(follower.status).toBe('SUCCEEDED');
      expect(Date.parse(follower.startedAt as string)).toBeGreaterThanOrEqual(endedAt);
      expect((await client.wait(other, { timeoutMs: BLOCK_MS + LATE_MS })).attempts).toMatchObject([{ worker: 'blocked' }]);
      expect(await stored()).toEqual(before);
    },
    3 * (BLOCK_MS + LATE_MS),
  );
});
