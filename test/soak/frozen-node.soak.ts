import { setTimeout as pause } from 'node:timers/promises';
import type { Backends } from '../../src/backends/backends.js';
import { partitionOf } from '../../src/decisions/partitioning.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';
import { startDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

const FROZEN_MS = 25_000;
const ROUNDS = 3;
const PER_SECOND = 20;
const GROUP = 'default';
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

describe('the node that dispatches is frozen for 25 seconds and thawed, again and again', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;

  beforeAll(async () => {
    server = await CountingServer.start(200);
    installation = await Installation.create('cluster', [GROUP]);
    backends = await installation.look();
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    await installation.startWorker({ id: 'w1', slots: 4 });
    await installation.startWorker({ id: 'w2', slots: 4 });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const held = async () => {
    const [row] = await backends.dialect.root.rows<{ holder: string; epoch: number }>(
      `SELECT holder, epoch FROM partitions WHERE partition_no = ? AND expires_at > ${backends.dialect.nowMs}`,
      [partitionOf(GROUP)],
    );
    return row?.holder ? row : null;
  };

  it('changes nothing that the other has done, and nothing runs twice', async () => {
    let planned = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = await waitFor('the partition is held', held);
      const frozen = installation.node(before.holder);
      const client = installation.client(installation.nodes.find(({ id }) => id !== before.holder)?.url);
      const submit = async (count: number) => {
        const items = Array.from({ length: count }, () => {
          planned += 1;
          const params = { url: server.url(`/t/${planned}`) };
          return { handler: 'http', group: GROUP, params, clientRequestId: `t-${planned}` };
        });
        await client.submitBatch(items);
      };
      await submit(100);
      const called = server.calls.size;
      await waitFor('it dispatches', () => server.calls.size > called + 10);
      frozen.process.freeze();
      for (const until = performance.now() + FROZEN_MS; performance.now() < until; await pause(1_000)) await submit(PER_SECOND);
      const after = await waitFor('the other holds the partition', held);
      expect(after.holder).not.toBe(before.holder);
      expect(after.epoch).toBeGreaterThan(before.epoch);
      frozen.process.thaw();
      await waitFor('every task has ended', async () => (await endedTasks(backends)) === planned, 180_000).catch(
        async (error) => {
          throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
        },
      );
    }
    const executed = server.calls.size;
    const row = {
      scenario: `dispatching node frozen 25 s, ${ROUNDS} times`,
      ...{ planned, executed, doubled: server.repeated.length, lost: planned - executed, lateness: await startDelays(backends) },
    };
    rows.push(row);
    expect(row).toMatchObject({ executed: planned, doubled: 0, lost: 0 });
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: planned });
  }, 900_000);
});
