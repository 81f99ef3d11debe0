import { setTimeout as pause } from 'node:timers/promises';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { CountingServer } from '../support/counting-server.js';
import { Installation } from '../support/installation.js';
import { PrivateDatabase } from '../support/private-database.js';
import { PrivateRedis } from '../support/private-redis.js';
import { ended, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

/** Longer than the lease of a partition. */
const AWAY_MS = 12_000;
const RUNNING = 20;
const MEANWHILE = 30;
const JOBS = 5;

describe('MySQL is killed and Redis with it, and both come back, Redis empty', () => {
  let installation: Installation;
  let server: CountingServer;
  let client: EvenkeelClient;
  let redis: PrivateRedis;
  let database: PrivateDatabase;

  beforeAll(async () => {
    [server, redis, database] = await Promise.all([CountingServer.start(), PrivateRedis.start(), PrivateDatabase.start()]);
    installation = await Installation.create('cluster', ['default'], 1_000, database.url);
    const env = { REDIS_URL: redis.url.href };
    await Promise.all([installation.startNode('n1', env), installation.startNode('n2', env)]);
    await installation.startWorker({ id: 'w1', slots: 50 });
    client = installation.client(undefined, 120_000);
  }, 180_000);
  afterAll(async () => {
    await installation?.remove();
    await Promise.all([database?.remove(), redis?.stop()]);
    await server?.stop();
  });

  const submit = (name: string) =>
    client.submit('http', { url: server.url(`/${name}`) }, { clientRequestId: name }).then(({ id }) => id);
  const firesOf = async (job: string) => {
    const { dialect } = await installation.look();
    const rows = await dialect.root.rows<{ at: number | string }>(
      'SELECT fire_at AS at FROM tasks WHERE job_id = ? ORDER BY fire_at',
      [job],
    );
    return rows.map(({ at }) => Number(at));
  };

  it('what ran goes on, what was sent is taken once, no second of any job is missed or doubled, and nobody does anything', async () => {
    const jobs = await Promise.all(
      Array.from({ length: JOBS }, async (_, n) => {
        const rules = { overlap: 'allow', maxParallel: 1_000, misfire: 'fire_all' };
        const schedule = { kind: 'every', everyMs: 1_000 };
        return (await client.createJob({ key: `tick-${n}`, handler: 'noop', schedule, ...rules } as never)).id;
      }),
    );
    server.hold();
    const running = await Promise.all(Array.from({ length: RUNNING }, (_, n) => submit(`running-${n}`)));
    await Promise.all(running.map((id) => untilTask(client, id, 'RUNNING')));
    await Promise.all([database.kill(), redis.stop()]);
    server.release();
    const meanwhile = Promise.all(Array.from({ length: MEANWHILE }, (_, n) => submit(`meanwhile-${n}`)));
    await pause(AWAY_MS);
    await Promise.all([database.startAgain(), redis.startAgain()]);
    const ids = [...running, ...(await meanwhile)];
    expect(new Set(ids).size).toBe(RUNNING + MEANWHILE);
    for (const task of await ended(client, ids, 120_000)) expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    expect(server.calls.size).toBe(RUNNING + MEANWHILE);
    expect(server.repeated).toEqual([]);

    const back = Date.now();
    for (const job of jobs) {
      const fires = await waitFor(
        'it fires again',
        async () => {
          const now = await firesOf(job);
          return (now.at(-1) ?? 0) > back ? now : null;
        },
        60_000,
      );
      const [first, last] = [fires[0] as number, fires.at(-1) as number];
      expect(fires).toEqual(Array.from({ length: (last - first) / 1_000 + 1 }, (_, n) => first + n * 1_000));
      expect(last - first).toBeGreaterThan(AWAY_MS);
    }
  }, 240_000);
});
