import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['pay', 'mail', 'report', 'sync', 'render', 'index'];
const PER_BATCH = 5;

describe('nodes that come and go under load', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  let submitted = 0;

  beforeAll(async () => {
    server = await CountingServer.start(20);
    installation = await Installation.create('cluster', GROUPS);
    backends = await installation.look();
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 20 });
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  const submit = async () => {
    const items = Array.from({ length: PER_BATCH }, () => {
      submitted += 1;
      const params = { url: server.url(`/${submitted}`) };
      return { handler: 'http', group: GROUPS[submitted % GROUPS.length], params, clientRequestId: `t-${submitted}` };
    });
    await installation.client().submitBatch(items);
  };
  /** How many partitions each node holds; under '' those that nobody holds. */
  const held = async () => {
    const rows = await backends.dialect.root.rows<{ holder: string; n: number | string }>(
      `SELECT CASE WHEN holder IS NOT NULL AND expires_at > ${backends.dialect.nowMs} THEN holder ELSE '' END AS holder, COUNT(*) AS n
       FROM partitions GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ holder, n }) => [holder, Number(n)]));
  };
  /** The partitions are spread so, work being submitted all the while. */
  const spread = async (shares: Record<string, number>) => {
    let found: Record<string, number> = {};
    await waitFor(
      `the shares are ${JSON.stringify(shares)}`,
      async () => {
        await submit();
        found = await held();
        return Object.keys({ ...shares, ...found }).every((node) => shares[node] === found[node]);
      },
      60_000,
    ).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(found)}\n${installation.output}`);
    });
  };

  it('share the partitions evenly at every number, none left without a holder, and hand over at once when asked to stop', async () => {
    await spread({ n1: 16 });
    await installation.startNode('n2');
    await spread({ n1: 8, n2: 8 });
    await installation.startNode('n3');
    await spread({ n1: 6, n2: 5, n3: 5 });
    await Promise.all([installation.startNode('n4'), installation.startNode('n5')]);
    await spread({ n1: 4, n2: 3, n3: 3, n4: 3, n5: 3 });

    expect(await installation.node('n2').process.stop()).toBe(0);
    // It has handed over what it held: nobody waits for its leases to end.
    expect((await held()).n2).toBeUndefined();
    await spread({ n1: 4, n3: 4, n4: 4, n5: 4 });

    await Promise.all(['n4', 'n5'].map((id) => installation.node(id).process.kill()));
    await spread({ n1: 8, n3: 8 });
  }, 240_000);

  it('put the rows of partitions back that somebody deleted, and go on above the epochs that workers have seen', async () => {
    expect(await backends.dialect.root.run('DELETE FROM partitions')).toBe(16);
    await spread({ n1: 8, n3: 8 });
  }, 90_000);

  it('and what was submitted meanwhile ran exactly once', async () => {
    await waitFor('every task has ended', async () => (await endedTasks(backends)) === submitted, 90_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: submitted });
    expect(server.calls.size).toBe(submitted);
    expect(server.repeated).toEqual([]);
  }, 120_000);
});
