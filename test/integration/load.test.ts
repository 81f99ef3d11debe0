import type { TaskList } from '@evenkeel/sdk/contract';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const TASKS = 1_000;
const BATCH = 250;

describe.each(ADAPTERS)('a thousand tasks with a real HTTP call each (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create(adapter);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 100 });
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  it('all succeed, each call is made exactly once, and every timeline is complete', async () => {
    const client = installation.client();
    const answers = [];
    for (let from = 0; from < TASKS; from += BATCH) {
      const items = Array.from({ length: BATCH }, (_, i) => ({
        handler: 'http',
        params: { url: server.url(`/call/${from + i}`), method: 'POST', body: { n: from + i } },
        clientRequestId: `call-${from + i}`,
      }));
      answers.push(await client.submitBatch(items));
    }
    expect(answers.map(({ summary }) => summary)).toEqual(
      Array(TASKS / BATCH).fill({ accepted: BATCH, replayed: 0, rejected: 0 }),
    );
    await waitFor('every call was made', () => server.calls.size === TASKS, 60_000);

    const tasks = await waitFor(
      'every task has succeeded',
      async () => {
        const found: TaskList['items'] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await client.list({ status: 'SUCCEEDED', limit: 200, cursor });
          found.push(...page.items);
          cursor = page.nextCursor ?? undefined;
          if (!cursor) return found.length === TASKS ? found : null;
        }
      },
      60_000,
    );
    expect(server.total).toBe(TASKS);
    expect(server.repeated).toEqual([]);
    expect(tasks.every((task) => task.attempt === 1)).toBe(true);

    const sample = await client.get(tasks[500]?.id as string);
    expect(sample.timeline.map(({ to }) => to)).toEqual(['PENDING', 'DISPATCHED', 'RUNNING', 'SUCCEEDED']);
    expect(sample.result).toMatchObject({ status: 200 });
  }, 180_000);
});
