import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { ended } from '../support/tasks.js';

const TASKS = 40;
const SPREAD_MS = 5_000;
/** Nobody would call this on time; it only tells a task that is late from one that was forgotten. */
const LATE_MS = 20_000;
/** None falls due before all were submitted. */
const SUBMITTED_MS = 10_000;

describe.each(ADAPTERS)('tasks for a later time (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 10 });
    client = installation.client();
  }, 120_000);
  afterAll(() => installation?.remove());

  it('never start early, and start', async () => {
    const receipts = await Promise.all(
      Array.from({ length: TASKS }, (_, n) => {
        const inMs = SUBMITTED_MS + Math.round((n * SPREAD_MS) / TASKS);
        const when = n % 2 === 0 ? { delayMs: inMs } : { runAt: new Date(Date.now() + inMs).toISOString() };
        return client.submit('noop', null, when);
      }),
    );
    expect(receipts.map(({ status }) => status)).toEqual(Array(TASKS).fill('SCHEDULED'));
    const tasks = await ended(
      client,
      receipts.map(({ id }) => id),
    );
    for (const task of tasks) {
      expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
      const due = Date.parse(task.dueAt);
      const pendingAt = Date.parse(task.timeline.find(({ from }) => from === 'SCHEDULED')?.at as string);
      const startedAt = Date.parse(task.startedAt as string);
      expect(pendingAt).toBeGreaterThanOrEqual(due);
      expect(startedAt).toBeGreaterThanOrEqual(due);
      expect(startedAt - due).toBeLessThan(LATE_MS);
    }
  }, 90_000);

  it('in the past start at once', async () => {
    const { id } = await client.submit('noop', null, { runAt: '2001-01-01T00:00:00Z' });
    expect(await client.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED' });
  }, 60_000);
});
