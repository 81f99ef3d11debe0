import { setTimeout as pause } from 'node:timers/promises';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { PrivateDatabase } from '../support/private-database.js';
import { PrivateRedis } from '../support/private-redis.js';
import type { Process } from '../support/processes.js';
import { ADAPTERS } from '../support/services.js';
import { ended, untilTask } from '../support/tasks.js';
import { startDelays } from './lateness.js';
import { printSoak, type SoakRow } from './soak-table.js';

const AWAY_MS = 120_000;
const RESTART_MS = 15_000;
const REDIS_AWAY_MS = 60_000;
const TASKS = 200;
const rows: SoakRow[] = [];

afterAll(() => printSoak(rows));

function note(scenario: string, path: string, planned: number, server: CountingServer, lateness: number[]): SoakRow {
  const calls = server.callsBelow(path);
  const doubled = calls.filter((n) => n > 1).length;
  const row = { scenario, planned, executed: calls.length, doubled, lost: planned - calls.length, lateness };
  rows.push(row);
  return row;
}

describe.each(ADAPTERS)('the centre is away for two minutes while two hundred attempts end (%s)', (adapter) => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;
  let node: { process: Process; url: string };
  let worker: Process;

  beforeAll(async () => {
    server = await CountingServer.start();
    installation = await Installation.create(adapter);
    node = await installation.startNode('n1');
    client = installation.client();
    worker = await installation.startWorker({ id: 'w1', slots: TASKS });
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await server?.stop();
  });

  it(
    'every result arrives from the journal, none twice, although the worker was restarted meanwhile',
    async () => {
      server.hold();
      const ids = await Promise.all(
        Array.from({ length: TASKS }, async (_, n) => {
          const params = { url: server.url(`/${n}`), timeoutMs: AWAY_MS * 2 };
          return (await client.submit('http', params, { timeoutMs: 0 })).id;
        }),
      );
      await Promise.all(ids.map((id) => untilTask(client, id, 'RUNNING', 60_000)));
      await node.process.kill();
      server.release();
      await pause(AWAY_MS - RESTART_MS);
      await worker.kill();
      // It is ready only once it has found the centre.
      const restarted = installation.startWorker({ id: 'w1', slots: TASKS, centre: [node.url] });
      await pause(RESTART_MS);
      node = await installation.startNode('n1', { PORT: new URL(node.url).port });
      worker = await restarted;
      for (const task of await ended(client, ids, 120_000)) expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
      const late = await startDelays(await installation.look());
      expect(note(`centre away 2 min, worker restarted, ${adapter}`, '/', TASKS, server, late)).toMatchObject({
        executed: TASKS,
        doubled: 0,
        lost: 0,
      });
    },
    AWAY_MS + 400_000,
  );
});

describe('the database is killed, Redis is stopped and comes back empty, alone and together', () => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;
  let redis: PrivateRedis;
  let database: PrivateDatabase;

  beforeAll(async () => {
    server = await CountingServer.start(20);
    redis = await PrivateRedis.start();
    database = await PrivateDatabase.start();
    installation = await Installation.create('cluster', ['default'], 1_000, database.url);
    const env = { REDIS_URL: redis.url.href };
    await installation.startNode('n1', env);
    await installation.startNode('n2', env);
    await installation.startWorker({ id: 'w1', slots: 20 });
    client = installation.client(undefined, 120_000);
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await database?.remove();
    await redis?.stop();
    await server?.stop();
  });

  const submitFor = async (ms: number, kind: string) => {
    const sent: Promise<string>[] = [];
    const refused: unknown[] = [];
    for (const until = performance.now() + ms; performance.now() < until; await pause(250)) {
      const n = sent.length;
      const options = { clientRequestId: `${kind}-${n}` };
      const one = client.submit('http', { url: server.url(`/${kind}/${n}`) }, options).then(({ id }) => id);
      one.catch((error) => refused.push(error));
      sent.push(one);
      if (refused.length > 0) throw refused[0];
    }
    return Promise.all(sent);
  };

  it.each([
    ['Redis stopped for a minute, back empty', 'redis', async () => redis.stop(), async () => redis.startAgain()],
    ['MySQL killed, back after a minute', 'mysql', async () => database.kill(), async () => database.startAgain()],
    [
      'both at once for a minute',
      'both',
      async () => void (await Promise.all([redis.stop(), database.kill()])),
      async () => void (await Promise.all([redis.startAgain(), database.startAgain()])),
    ],
  ])(
    '%s: what is submitted meanwhile runs exactly once',
    async (name, kind, away, back) => {
      const backends = await installation.look();
      const since = backends.clock.now();
      await away();
      const [ids] = await Promise.all([submitFor(REDIS_AWAY_MS, kind), pause(REDIS_AWAY_MS).then(back)]);
      for (const task of await ended(client, ids, 180_000)) expect(task).toMatchObject({ status: 'SUCCEEDED' });
      const late = await startDelays(backends, since);
      expect(note(name, `/${kind}/`, ids.length, server, late)).toMatchObject({ executed: ids.length, doubled: 0, lost: 0 });
    },
    600_000,
  );
});
