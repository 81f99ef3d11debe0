import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { PrivateRedis } from '../support/private-redis.js';
import { type SignedAnswer, signedRequest } from '../support/signed-request.js';
import { ended, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const TASKS = 30;
const LONG_MS = 600_000;

describe('a Redis that goes away and comes back empty', () => {
  let installation: Installation;
  let redis: PrivateRedis;
  let client: EvenkeelClient;
  let url: string;
  let running: string;
  let deletedJobId: string;
  const job = { key: 'gone', handler: 'noop', schedule: { kind: 'manual' }, clientRequestId: 'gone' } as const;

  beforeAll(async () => {
    redis = await PrivateRedis.start();
    installation = await Installation.create('cluster');
    const env = { REDIS_URL: redis.url.href };
    ({ url } = await installation.startNode('n1', env));
    await installation.startNode('n2', env);
    await installation.startWorker({ id: 'w1', slots: 10 });
    client = installation.client();
    running = (await client.submit('sleep', { ms: LONG_MS }, { timeoutMs: 0 })).id;
    await untilTask(client, running, 'RUNNING');
    deletedJobId = (await client.createJob(job)).id;
    await client.deleteJob(deletedJobId);
    await redis.stop();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await redis?.stop();
  });

  const ask = (method: 'GET' | 'POST', target: string, body?: unknown): Promise<SignedAnswer> =>
    signedRequest(url, installation.appKey, method, target, body);
  const cancel = () => ask('POST', `/openapi/v1/tasks/${running}/cancel`);
  const runSome = async (name: string) => {
    const requests = Array.from({ length: TASKS }, (_, n) => `${name}-${n}`);
    const answers = await Promise.all(
      requests.map((clientRequestId) => ask('POST', '/openapi/v1/tasks', { handler: 'noop', clientRequestId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(TASKS).fill(202));
    const ids = answers.map(({ body }) => body.id as string);
    expect(new Set(ids).size).toBe(TASKS);
    for (const task of await ended(client, ids)) expect(task).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    return ids;
  };

  it('lets what is harmless twice pass, and it is dispatched', async () => {
    const ids = await runSome('without');
    const again = await ask('POST', '/openapi/v1/tasks', { handler: 'noop', clientRequestId: 'without-0' });
    expect([again.status, again.body.id]).toEqual([202, ids[0]]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const batch = await ask('POST', '/openapi/v1/tasks/batch', { items: [{ handler: 'noop', clientRequestId: 'batch-0' }] });
    expect([batch.status, batch.body.summary.accepted]).toEqual([202, 1]);
    expect(await ask('GET', `/openapi/v1/tasks/${running}`)).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }, 90_000);

  it('creates no job once more that was deleted before it went away', async () => {
    const again = await ask('POST', '/openapi/v1/jobs', job);
    expect(again).toMatchObject({ status: 409, body: { code: 'state_conflict', deletedJobId } });
    expect((await ask('GET', '/openapi/v1/jobs?key=gone')).body.items).toEqual([]);
  }, 60_000);

  it('refuses other writes and says when to come again', async () => {
    for (const refused of [await cancel(), await ask('POST', '/openapi/v1/tasks', { handler: 'noop' })]) {
      expect(refused).toMatchObject({ status: 503, body: { code: 'replay_protection_unavailable', retryable: true } });
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(await client.get(running)).toMatchObject({ status: 'RUNNING', cancelRequested: false });
  }, 60_000);

  it('is no longer missed once it is back', async () => {
    await redis.startAgain();
    await waitFor('writes are taken again', async () => (await cancel()).status === 202, 60_000);
    expect(await client.wait(running, { timeoutMs: 60_000 })).toMatchObject({ status: 'CANCELLED' });
    expect((await ask('POST', '/openapi/v1/tasks', { handler: 'noop' })).status).toBe(202);
    await runSome('after');
  }, 120_000);

  it('that answers nothing, but keeps its connections, is as one that is away', async () => {
    redis.freeze();
    const { id } = (await ask('POST', '/openapi/v1/tasks', { handler: 'noop', clientRequestId: 'frozen-0' })).body;
    expect(await client.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED' });
    const refused = await ask('POST', '/openapi/v1/tasks', { handler: 'noop' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'replay_protection_unavailable' } });
    expect(refused.tookMs).toBeLessThan(10_000);
    redis.thaw();
    const accepted = () => ask('POST', '/openapi/v1/tasks', { handler: 'noop' });
    await waitFor('writes are taken again', async () => (await accepted()).status === 202, 60_000);
    await runSome('thawed');
  }, 120_000);

  it('cost no node its partitions', async () => {
    const { dialect } = await installation.look();
    const rows = await dialect.root.rows<{ holder: string; n: number | string }>(
      'SELECT holder, COUNT(*) AS n FROM partitions GROUP BY holder ORDER BY holder',
    );
    expect(rows.map(({ holder, n }) => [holder, Number(n)])).toEqual([
      ['n1', 8],
      ['n2', 8],
    ]);
  });
});
