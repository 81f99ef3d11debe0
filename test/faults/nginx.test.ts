import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { Installation } from '../support/installation.js';
import { Nginx, nginxPath } from '../support/nginx.js';

const TASKS = '/openapi/v1/tasks';
const title = nginxPath()
  ? 'partners behind an nginx'
  : 'partners behind an nginx (skipped: no nginx is installed, and apt-get could not install it)';

(nginxPath() ? describe : describe.skip)(title, () => {
  let installation: Installation;
  let nginx: Nginx;

  beforeAll(async () => {
    installation = await Installation.create('embedded');
    const node = await installation.startNode('n1');
    nginx = await Nginx.before(node.url);
  }, 120_000);
  afterAll(async () => {
    await nginx?.stop();
    await installation?.remove();
  });

  /** One request whose target goes over the wire byte for byte. `signed`: what was signed, if it is something else. */
  function send(method: 'GET' | 'POST', target: string, body = '', { base = nginx.url, signed = target } = {}) {
    const { accessKey, secret } = installation.appKey;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signedHeaders({ accessKey, timestamp, nonce: randomUUID(), method, target: signed, body }, secret);
    const { hostname, port } = new URL(base);
    const headers = {
      ...signature,
      ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
    };
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
    return new Promise<{ status: number; json: any; headers: Record<string, unknown> }>((resolve, reject) => {
      const sent = request({ hostname, port, method, path: target, headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            json: JSON.parse(Buffer.concat(chunks).toString('utf8')),
            headers: answer.headers,
          }),
        );
      });
      sent.once('error', reject).end(body);
    });
  }
  const submit = (body: object) => send('POST', TASKS, JSON.stringify(body));

  it('sign queries however they are encoded, and parameters that are repeated', async () => {
    const { json } = await submit({ handler: '打印 +~1', delayMs: 3_600_000, clientRequestId: 'query' });
    const queries = [
      'handler=%E6%89%93%E5%8D%B0%20%2B~1&limit=5',
      'limit=5&handler=%e6%89%93%e5%8d%b0+%2b%7e1',
      '&handler=%E6%89%93%E5%8D%B0+%2B~%31&&limit=5&',
      `status=${json.status}&handler=%E6%89%93%E5%8D%B0%20%2B~1&status=RUNNING&status=${json.status}`,
    ];
    for (const query of queries) {
      const answer = await send('GET', `${TASKS}?${query}`);
      expect([query, answer.status, answer.json.items?.map(({ id }: { id: string }) => id)]).toEqual([query, 200, [json.id]]);
    }
    expect((await send('GET', `${TASKS}?limit=1&limit=2`)).json.code).toBe('duplicate_parameter');
    expect((await send('GET', '/openapi/v1/me?', '')).status).toBe(200);
  });

  it('send bodies in any script, none at all, and ones nginx writes to its disk', async () => {
    const params = { text: '你好 — Grüße\u0000\r\n', blanks: '  ' };
    const { json } = await submit({ handler: 'écho', params, delayMs: 3_600_000 });
    expect((await send('GET', `${TASKS}/${json.id}`)).json).toMatchObject({ handler: 'écho', params });
    expect(await send('POST', `${TASKS}/${json.id}/cancel`)).toMatchObject({ status: 200, json: { status: 'CANCELLED' } });
    const large = JSON.stringify({ handler: 'large', params: { text: 'ä'.repeat(30 * 1024) }, delayMs: 3_600_000 });
    expect(Buffer.byteLength(large)).toBeGreaterThan(60 * 1024);
    const stored = await send('POST', TASKS, large);
    expect(stored.status).toBe(202);
    expect((await send('GET', `${TASKS}/${stored.json.id}`)).json.params.text).toHaveLength(30 * 1024);
  });

  it('wait for the end of a task through it', async () => {
    const { json } = await submit({ handler: 'nobody-has-this' });
    const askedAt = performance.now();
    const waiting = send('GET', `${TASKS}/${json.id}?wait=30`);
    expect((await send('GET', `${TASKS}/${json.id}?wait=1`)).json.status).toBe('PENDING');
    await send('POST', `${TASKS}/${json.id}/cancel`);
    expect((await waiting).json.status).toBe('CANCELLED');
    const tookMs = performance.now() - askedAt;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(25_000);
  });

  it('submit batches, of megabytes too', async () => {
    const items = Array.from({ length: 50 }, (_, n) => ({
      handler: 'batch',
      params: { n, text: 'x'.repeat(40 * 1024) },
      delayMs: 3_600_000,
      clientRequestId: `batch-${n}`,
    }));
    const answer = await send('POST', `${TASKS}/batch`, JSON.stringify({ items }));
    expect(answer).toMatchObject({ status: 202, json: { summary: { accepted: 50, replayed: 0, rejected: 0 } } });
  });

  it('must not have a path after the host: that nginx decodes what was signed', async () => {
    const base = nginx.rewritingUrl;
    expect((await send('GET', '/openapi/v1/me', '', { base })).status).toBe(200);
    // As it came, a target outside the alphabet is named for what it is …
    expect(await send('GET', '/openapi/v1/%6De', '', { signed: '/openapi/v1/me' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request_target' },
    });
    // … decoded on the way, what reaches the centre is not what the partner called: here it even passes.
    expect((await send('GET', '/openapi/v1/%6De', '', { base, signed: '/openapi/v1/me' })).status).toBe(200);
    expect((await send('GET', '/openapi/v1//x/../me', '', { base, signed: '/openapi/v1/me' })).status).toBe(200);
    expect((await send('GET', '/openapi/v1//x/../me', '', { signed: '/openapi/v1/me' })).status).toBe(400);
  });
});
