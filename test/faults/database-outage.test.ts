import type { EvenkeelClient } from '@evenkeel/sdk/client';
import type { Backends } from '../../src/backends/backends.js';
import { CountingServer } from '../support/counting-server.js';
import { freePort } from '../support/free-port.js';
import { Installation } from '../support/installation.js';
import type { Process } from '../support/processes.js';
import { endedTasks, tasksByState } from '../support/progress.js';
import { type SignedAnswer, signedRequest } from '../support/signed-request.js';
import { ended, untilTask } from '../support/tasks.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const GROUPS = ['default', 'narrow'];
const TASKS = 400;
const BATCH = 20;
const OUTAGE_MS = 4000;

describe('a database that goes away', () => {
  let installation: Installation;
  let server: CountingServer;
  let backends: Backends;
  let database: TcpProxy;
  let towardsNarrow: TcpProxy;
  let client: EvenkeelClient;
  let node: Process;
  let url: string;

  beforeAll(async () => {
    server = await CountingServer.start(30);
    installation = await Installation.create('cluster', GROUPS);
    backends = await installation.look();
    const direct = new URL(installation.database.env.DATABASE_URL as string);
    database = await TcpProxy.before({ hostname: direct.hostname, port: direct.port || 3306 });
    ({ url, process: node } = await installation.startNode('n1', { DATABASE_URL: database.through(direct).href }));
    await installation.startWorker({ id: 'w1', groups: ['default'], slots: 20 });
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await installation?.remove();
    await database?.cut();
    await towardsNarrow?.cut();
    await server?.stop();
  });

  const ask = (method: 'GET' | 'POST', target: string, body?: unknown) =>
    signedRequest(url, installation.appKey, method, target, body, 15_000);
  const readiness = async () => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(15_000) })).status;
  const task = (n: number) => ({
    handler: 'http',
    params: { url: server.url(`/load/${n}`) },
    clientRequestId: `load-${n}`,
  });

  it('is told to callers as 503 at once, costs no accepted task and doubles none, and everything resumes by itself', async () => {
    const load = (async () => {
      for (let from = 0; from < TASKS; from += BATCH)
        await client.submitBatch(Array.from({ length: BATCH }, (_, n) => task(from + n)));
    })();
    await waitFor('the load is under way', () => server.calls.size > BATCH, 60_000);
    const { id } = await client.submit('noop', null);

    await database.cut();
    const cutAt = performance.now();
    const answers: SignedAnswer[] = [];
    for (let n = 0; performance.now() < cutAt + OUTAGE_MS; n++) {
      const body = { handler: 'noop', params: null, clientRequestId: `probe-${n}` };
      answers.push(await ask('POST', '/openapi/v1/tasks', body), await ask('GET', `/openapi/v1/tasks/${id}`));
    }
    expect(await readiness()).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await database.restore();

    expect(answers.length).toBeGreaterThan(5);
    for (const { status, headers, body, tookMs } of answers) {
      expect([status, body.code, body.status]).toEqual([503, 'service_unavailable', 503]);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(tookMs).toBeLessThan(10_000);
    }
    await waitFor('the node is ready again', async () => (await readiness()) === 200, 30_000);
    await load;
    await waitFor('every task has ended', async () => (await endedTasks(backends)) === TASKS + 1, 60_000).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await tasksByState(backends))}\n${installation.output}`);
    });
    expect(await tasksByState(backends)).toEqual({ SUCCEEDED: TASKS + 1 });
    expect(server.callsBelow('/load/')).toEqual(Array(TASKS).fill(1));
  }, 240_000);

  it('while orders are on their way to a silent worker leaves that worker all its room', async () => {
    const port = await freePort();
    towardsNarrow = await TcpProxy.before({ hostname: '127.0.0.1', port });
    const advertiseUrl = towardsNarrow.through(new URL('http://127.0.0.1')).origin;
    await installation.startWorker({ id: 'narrow', groups: ['narrow'], slots: 1, port, advertiseUrl });
    towardsNarrow.freeze();
    // They take all its room: a slot and two places in the queue.
    const items = Array.from({ length: 3 }, (_, n) => ({ handler: 'noop', group: 'narrow', clientRequestId: `first-${n}` }));
    const first = (await client.submitBatch(items)).results.map(({ task }) => task?.id as string);
    for (const id of first) await untilTask(client, id, 'DISPATCHED');
    await database.cut();
    // Whichever comes first: the rows cannot be read, or the node may no longer act on the partition.
    await waitFor('all of it went unanswered and was let go', () => {
      const letGo = [...told(node, 'order not settled'), ...told(node, 'order let go')];
      return letGo.reduce((sum, line) => sum + Number(line.tasks), 0) === first.length;
    });
    expect(told(node, 'order with unknown fate').length).toBeGreaterThan(0);
    await database.restore();
    await towardsNarrow.restore();
    const more = await Promise.all(Array.from({ length: 6 }, () => client.submit('noop', null, { group: 'narrow' })));
    const ids = [...first, ...more.map(({ id }) => id)];
    for (const each of await ended(client, ids)) expect(each).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  }, 120_000);
});

/** The lines of its log whose message begins so. */
function told(node: Process, message: string): Record<string, unknown>[] {
  const lines = node.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter(({ msg }) => String(msg).startsWith(message));
}
