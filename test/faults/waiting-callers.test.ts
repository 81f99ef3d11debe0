import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get as httpGet } from 'node:http';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor as until } from '../support/wait-for.js';

const WAITERS = 1_000;
const MEBIBYTE = 1024 * 1024;

describe.each(ADAPTERS)('a thousand callers who wait for the end of tasks (%s)', (adapter) => {
  let installation: Installation;
  let url: string;
  let pid: number;

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    const node = await installation.startNode('n1');
    url = node.url;
    pid = node.process.pid;
  }, 120_000);
  afterAll(() => installation?.remove());

  const threads = () => readdirSync(`/proc/${pid}/task`).length;
  const residentBytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  const connections = () => readdirSync(`/proc/${pid}/fd`).length;
  const submit = async () =>
    (await signedRequest(url, installation.appKey, 'POST', '/openapi/v1/tasks', { handler: 'nobody-has-this' })).body
      .id as string;

  /** Long polls on connections of their own until the task has ended; resolves with its status. On a busy machine one may run out. */
  async function waitFor(id: string, agent: Agent): Promise<string> {
    for (;;) {
      const status = await poll(id, agent);
      if (status !== 'PENDING') return status;
    }
  }

  function poll(id: string, agent: Agent): Promise<string> {
    const target = `/openapi/v1/tasks/${id}?wait=30`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const { accessKey, secret } = installation.appKey;
    const headers = signedHeaders({ accessKey, timestamp, nonce: randomUUID(), method: 'GET', target, body: '' }, secret);
    return new Promise((resolve, reject) => {
      httpGet(url + target, { headers, agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).status));
      }).once('error', reject);
    });
  }

  it('hold no thread, cost less than 50 MiB, keep nobody else waiting, and are told at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, submit));
    const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
    // Warm: what the first hundred make the process allocate once is not the price of one more.
    const warm = Promise.all(Array.from({ length: 100 }, (_, n) => waitFor(ids[n % 20] as string, agent)));
    await signedRequest(url, installation.appKey, 'GET', `/openapi/v1/tasks/${ids[0]}?wait=2`);
    const before = { threads: threads(), bytes: residentBytes(), connections: connections() };
    const waiting = Promise.all(Array.from({ length: WAITERS }, (_, n) => waitFor(ids[n % 20] as string, agent)));
    await until('all of them were taken in', () => connections() - before.connections >= WAITERS);
    // A look of the caller's own that lasts until what they asked has been read.
    await signedRequest(url, installation.appKey, 'GET', `/openapi/v1/tasks/${ids[0]}?wait=3`);
    expect(threads()).toBe(before.threads);
    const cost = residentBytes() - before.bytes;
    expect(cost / MEBIBYTE).toBeLessThan(50);
    const look = await signedRequest(url, installation.appKey, 'GET', '/openapi/v1/me');
    expect(look.status).toBe(200);
    // Those who wait are answered after half a minute.
    expect(look.tookMs).toBeLessThan(15_000);
    for (const id of ids) await signedRequest(url, installation.appKey, 'POST', `/openapi/v1/tasks/${id}/cancel`);
    const cancelledAt = performance.now();
    expect(new Set(await waiting)).toEqual(new Set(['CANCELLED']));
    expect(performance.now() - cancelledAt).toBeLessThan(15_000);
    expect(new Set(await warm)).toEqual(new Set(['CANCELLED']));
  }, 120_000);
});
