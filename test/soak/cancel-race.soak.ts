import { setTimeout as pause } from 'node:timers/promises';
import type { EvenkeelClient, TaskView } from '@evenkeel/sdk/client';
import { isTerminal } from '@evenkeel/sdk/contract';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';

const ROUNDS = 1_000;
const AT_ONCE = 20;
/** A task takes up to so long, and its cancel is sent at any moment of that. */
const SPREAD_MS = 60;
const counted: string[] = [];

afterAll(() => process.stderr.write(`${counted.join('\n')}\n`));

describe.each(ADAPTERS)('a cancel that races with everything a task goes through (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    await installation.startNode('n1');
    if (adapter === 'cluster') await installation.startNode('n2');
    await Promise.all(['w1', 'w2'].map((id) => installation.startWorker({ id, slots: AT_ONCE })));
    client = installation.client();
  }, 120_000);
  afterAll(() => installation?.remove());

  /** Submits, cancels somewhere on its way, and says what became of it. */
  const race = async (): Promise<TaskView> => {
    const { id } = await client.submit('sleep', { ms: Math.round(Math.random() * SPREAD_MS) });
    await pause(Math.random() * SPREAD_MS);
    // One that has ended is refused to cancel; that is one of the outcomes.
    await client.cancel(id).catch(({ code }) => expect(code).toBe('task_already_terminal'));
    return client.wait(id, { timeoutMs: 60_000 });
  };

  it(`ends in one terminal state each time, ${ROUNDS} times`, async () => {
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      for (const task of await Promise.all(Array.from({ length: AT_ONCE }, race))) {
        const ends = task.timeline.filter(({ from, to }) => from !== to && isTerminal(to));
        expect([task.id, ends.map(({ to }) => to)]).toEqual([task.id, [task.status]]);
        outcomes[task.status] = (outcomes[task.status] ?? 0) + 1;
      }
    }
    counted.push(`${adapter}: ${ROUNDS} cancels raced: ${JSON.stringify(outcomes)}`);
    // Both came about, or nothing was raced.
    expect(outcomes.SUCCEEDED).toBeGreaterThan(50);
    expect(outcomes.CANCELLED).toBeGreaterThan(50);
    expect(Object.keys(outcomes).sort()).toEqual(['CANCELLED', 'SUCCEEDED']);
  }, 600_000);
});
