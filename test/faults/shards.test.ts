import type { Backends } from '../../src/backends/backends.js';
import { STATE_CODE } from '../../src/decisions/state-codes.js';
import { Installation } from '../support/installation.js';
import { waitFor } from '../support/wait-for.js';

const SHARDS = 100;
const ROUNDS = 4;

describe('a task of a hundred shards while nodes are killed', () => {
  let installation: Installation;
  let backends: Backends;

  beforeAll(async () => {
    installation = await Installation.create('cluster', ['default']);
    await Promise.all([installation.startNode('n1'), installation.startNode('n2')]);
    for (const id of ['w1', 'w2']) await installation.startWorker({ id, slots: 10 });
    backends = await installation.look();
  }, 180_000);
  afterAll(() => installation?.remove());

  it('has each index once, succeeded, and succeeds, whenever a node dies', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const survivor = `n${(round % 2) + 1}`;
      const victim = `n${((round + 1) % 2) + 1}`;
      const client = installation.client(installation.node(survivor).url);
      const { id } = await client.submit('shards', { items: 1_000, ms: 40 }, { shards: SHARDS });
      // Round 0 kills at once, perhaps before or while it is divided; later ones in the middle of the work.
      if (round > 0) await waitFor('some have ended', async () => ((await client.get(id)).shards?.done ?? 0) > round * 20);
      await installation.node(victim).process.kill();
      const task = await client.wait(id, { timeoutMs: 90_000 }).catch((error) => {
        throw new Error(`${error.message} in round ${round}\n${installation.output}`);
      });
      expect(task).toMatchObject({ status: 'SUCCEEDED', progress: 1, shards: { total: SHARDS, done: SHARDS, failed: 0 } });
      const rows = await backends.dialect.root.rows<{ shard_index: number; state: number; result: string }>(
        'SELECT shard_index, state, result FROM tasks WHERE parent_id = ? ORDER BY shard_index',
        [id],
      );
      expect(rows.map(({ shard_index }) => shard_index)).toEqual(Array.from({ length: SHARDS }, (_, index) => index));
      expect(rows.every(({ state }) => state === STATE_CODE.SUCCEEDED)).toBe(true);
      expect(rows.reduce((sum, { result }) => sum + JSON.parse(result).owned, 0)).toBe(1_000);
      // At the address the workers know.
      const PORT = new URL(installation.node(victim).url).port;
      installation.nodes.splice(installation.nodes.indexOf(installation.node(victim)), 1);
      await installation.startNode(victim, { PORT });
    }
  }, 420_000);
});
