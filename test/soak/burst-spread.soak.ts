import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ended } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const ROUNDS = 10;
const BURST = 300;
const IDS = ['b1', 'b2', 'b3'];
const SLOTS = 10;
const TASK_MS = 50;

/** How many of each burst each worker ran: with ten slots they are full at once, and what frees a slot first is given the next. */
const counted: number[][] = [];
afterAll(() =>
  process.stderr.write(`bursts of ${BURST} over ${IDS.length} workers of ${SLOTS} slots: ${JSON.stringify(counted)}\n`),
);

describe('bursts that three equal workers must queue for', () => {
  let installation: Installation;
  let client: EvenkeelClient;

  beforeAll(async () => {
    installation = await Installation.create('cluster');
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await Promise.all(IDS.map((id) => installation.startWorker({ id, slots: SLOTS })));
    client = installation.client();
    const { dialect } = await installation.look();
    await waitFor(
      'all are warm, thus equal',
      async () => {
        const rows = await dialect.root.rows<{ at: number | string }>('SELECT registered_at AS at FROM workers');
        return rows.length === IDS.length && rows.every(({ at }) => Date.now() - Number(at) > 11_000);
      },
      60_000,
    );
  }, 180_000);
  afterAll(() => installation?.remove());

  it.each(Array.from({ length: ROUNDS }, (_, n) => n))('burst %i is spread within a tenth', async (round) => {
    const items = Array.from({ length: BURST }, (_, n) => ({
      handler: 'sleep',
      params: { ms: TASK_MS },
      clientRequestId: `burst-${round}-${n}`,
    }));
    const { results } = await client.submitBatch(items);
    const tasks = await ended(
      client,
      results.map(({ task }) => task?.id as string),
    );
    const counts = IDS.map((id) => tasks.filter(({ attempts }) => attempts[0]?.worker === id).length);
    counted.push(counts);
    const even = BURST / IDS.length;
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(even * 0.9);
    expect(Math.max(...counts)).toBeLessThanOrEqual(even * 1.1);
  });
});
