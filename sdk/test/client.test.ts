import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClient,
  defineTask,
  type EvenkeelClient,
  EvenkeelProblem,
  TransportError,
  WaitTimeoutError,
} from '../src/client/index.js';
import { canonicalString, signatureMatches } from '../src/contract/index.js';

const ACCESS = 'ak_test_0123456789abcdef';
const SECRET = 'sk_test_only-for-these-tests';
interface Call {
  method: string;
  target: string;
  nonce: string;
  body: Record<string, unknown>;
  signed: boolean;
}
type Reply = { status: number; body: unknown; headers?: Record<string, string> } | 'hang up';

describe('the client', () => {
  let server: Server;
  let client: EvenkeelClient;
  let calls: Call[];
  let replies: Reply[];

  beforeEach(async () => {
    calls = [];
    replies = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        calls.push(read(request, Buffer.concat(chunks)));
        const reply = replies.length > 1 ? replies.shift() : replies[0];
        if (reply === undefined || reply === 'hang up') request.socket.destroy();
        else
          response
            .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
            .end(JSON.stringify(reply.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = createClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      accessKey: ACCESS,
      secretKey: SECRET,
    });
  });
  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const receipt = { status: 202, body: { id: 'task_1', status: 'PENDING' } };
  const problem = (status: number, code: string, more: object = {}, headers = {}) => ({
    status,
    body: {
      type: 't',
      title: code,
      status,
      detail: `told ${code}`,
      instance: '/',
      code,
      requestId: 'r',
      retryable: false,
      ...more,
    },
    headers,
  });

  it('submits a signed task by name or definition, with a clientRequestId of its own', async () => {
    replies = [receipt];
    await expect(client.submit('echo', { a: '你' }, { priority: 7 })).resolves.toEqual(receipt.body);
    await client.submit(defineTask<{ ms: number }>({ name: 'sleep' }), { ms: 5 }, { clientRequestId: 'mine' });
    expect(calls).toMatchObject([
      { method: 'POST', target: '/openapi/v1/tasks', signed: true, body: { handler: 'echo', params: { a: '你' }, priority: 7 } },
      { signed: true, body: { handler: 'sleep', params: { ms: 5 }, clientRequestId: 'mine' } },
    ]);
    expect(calls[0]?.body.clientRequestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each<[string, Reply]>([
    ['a lost connection', 'hang up'],
    ['429', problem(429, 'rate_limited', { retryable: true }, { 'retry-after': '0' })],
    ['503', problem(503, 'service_unavailable', { retryable: true }, { 'retry-after': '0' })],
    ['nonce_reused', problem(401, 'nonce_reused')],
    ['a proxy that answers 502', { status: 502, body: 'bad gateway' }],
  ])('repeats after %s with the same clientRequestId and a fresh nonce', async (_, reply) => {
    replies = [reply, receipt];
    await client.submit('echo');
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(new Set(calls.map(({ body }) => body.clientRequestId)).size).toBe(1);
    expect(new Set(calls.map(({ nonce }) => nonce)).size).toBe(calls.length);
  });

  it('asks for a retry once, whatever is answered, and makes up the id of an event', async () => {
    replies = [problem(503, 'service_unavailable', { retryable: true }, { 'retry-after': '0' }), receipt];
    await expect(client.retry('task_1')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(calls).toMatchObject([{ method: 'POST', target: '/openapi/v1/tasks/task_1/retry', signed: true }]);
    await client.sendEvent('order.paid', { order: '4711' });
    expect(calls[1]).toMatchObject({ target: '/openapi/v1/events', body: { name: 'order.paid', payload: { order: '4711' } } });
    expect(calls[1]?.body.clientRequestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('repeats an edit only when it is certain that nothing was changed', async () => {
    const edit = { version: 1, handler: 'echo', schedule: { kind: 'manual' } } as const;
    const unanswered = [
      'hang up',
      { status: 502, body: 'bad gateway' },
      problem(500, 'internal_error', { retryable: true }),
    ] as const;
    for (const reply of unanswered) {
      replies = [reply];
      await expect(client.changeJob('job_1', edit)).rejects.toThrow();
      await expect(client.restoreJob('job_1', { version: 2, restore: 1 })).rejects.toThrow();
    }
    expect(calls).toHaveLength(2 * unanswered.length);
    replies = [
      problem(503, 'service_unavailable', { retryable: true }, { 'retry-after': '0' }),
      { status: 200, body: { version: 2 } },
    ];
    expect(await client.changeJob('job_1', edit)).toEqual({ version: 2 });
  });

  it('takes what is gone after a lost answer for deleted by itself, and nothing else', async () => {
    replies = ['hang up', problem(404, 'not_found')];
    expect(await client.deleteJob('job_1')).toBeUndefined();
    replies = [problem(404, 'not_found')];
    await expect(client.deleteJob('job_1')).rejects.toMatchObject({ code: 'not_found' });
    replies = ['hang up', problem(404, 'not_found')];
    await expect(client.getJob('job_1')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives up on a refusal at once and carries the problem', async () => {
    replies = [problem(400, 'validation_failed', { errors: [{ pointer: '/handler', code: 'x', message: 'y' }] })];
    const error = await client.submit('').catch((each) => each);
    expect(error).toBeInstanceOf(EvenkeelProblem);
    expect(error).toMatchObject({
      code: 'validation_failed',
      status: 400,
      message: 'told validation_failed',
      problem: { errors: [{ pointer: '/handler' }] },
    });
    expect(calls).toHaveLength(1);
  });

  it('gives up repeating after its time', async () => {
    server.closeAllConnections();
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const hasty = createClient({ url: `http://127.0.0.1:${port}`, accessKey: ACCESS, secretKey: SECRET, retryForMs: 300 });
    await expect(hasty.me()).rejects.toThrow(TransportError);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('corrects its clock when the centre says it is wrong', async () => {
    const serverTime = new Date(Date.now() + 3600_000).toISOString();
    replies = [problem(401, 'timestamp_out_of_range', { serverTime }), receipt];
    await client.submit('echo');
    expect(calls).toHaveLength(2);
  });

  it('splits a batch at 500 items and counts the indexes through', async () => {
    const answer = (n: number) => ({
      status: 202,
      body: {
        summary: { accepted: n, replayed: 0, rejected: 0 },
        results: Array.from({ length: n }, (_, index) => ({ index, clientRequestId: 'x', outcome: 'accepted' })),
      },
    });
    replies = [answer(500), answer(500), answer(1)];
    const whole = await client.submitBatch(Array.from({ length: 1001 }, () => ({ handler: 'echo' })));
    expect(whole.summary.accepted).toBe(1001);
    expect(whole.results.map(({ index }) => index)).toEqual(Array.from({ length: 1001 }, (_, i) => i));
    expect(calls.map(({ body }) => (body.items as unknown[]).length)).toEqual([500, 500, 1]);
  });

  it('waits by long polls until the task has ended, or its time is over', async () => {
    replies = [
      { status: 200, body: { status: 'RUNNING' } },
      { status: 200, body: { status: 'RETRYING' } },
      { status: 200, body: { status: 'FAILED' } },
    ];
    await expect(client.wait('task_1')).resolves.toEqual({ status: 'FAILED' });
    expect(calls.map(({ target }) => target)).toEqual(Array(3).fill('/openapi/v1/tasks/task_1?wait=30'));
    replies = [{ status: 200, body: { status: 'PENDING' } }];
    await expect(client.wait('task_1', { timeoutMs: 50 })).rejects.toThrow(WaitTimeoutError);
  });

  it('lists, cancels, asks who it is, and refuses ids that are none', async () => {
    replies = [{ status: 200, body: {} }];
    await client.list({ status: 'FAILED', handler: 'a b&c', limit: 10 });
    await client.cancel('task_1');
    await client.me();
    expect(calls.map(({ method, target, signed }) => [method, target, signed])).toEqual([
      ['GET', '/openapi/v1/tasks?status=FAILED&handler=a%20b%26c&limit=10', true],
      ['POST', '/openapi/v1/tasks/task_1/cancel', true],
      ['GET', '/openapi/v1/me', true],
    ]);
    expect(() => client.get('../me')).toThrow(TypeError);
  });
});

function read(request: IncomingMessage, body: Buffer): Call {
  const header = (name: string) => String(request.headers[`x-ek-${name}`]);
  const [method, target] = [request.method ?? '', request.url ?? ''];
  const nonce = header('nonce');
  const canonical = canonicalString({
    accessKey: header('access-key'),
    timestamp: header('timestamp'),
    nonce,
    method,
    target,
    body,
  });
  const signed = header('access-key') === ACCESS && signatureMatches(SECRET, canonical, header('signature'));
  return { method, target, nonce, signed, body: body.length === 0 ? {} : JSON.parse(body.toString('utf8')) };
}
