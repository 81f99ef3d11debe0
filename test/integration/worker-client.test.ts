import { canonicalString, EK1_HEADERS, LIMITS, type RunRequest, signatureMatches, type TaskOrder } from '@evenkeel/sdk/contract';
import { WorkerClient } from '../../src/dispatch/worker-client.js';
import { WorkerKeys } from '../../src/dispatch/worker-keys.js';
import type { WorkerAddress } from '../../src/registry/worker-probe.js';
import { HandMovedClock } from '../support/hand-moved-clock.js';
import { KEY, life, registration } from '../support/registry-world.js';
import { acceptAll, answer, type Received, WorkerSocket } from '../support/worker-socket.js';

const SECRET = 'sk_worker_secret';

class KnownKeys extends WorkerKeys {
  reply: () => Promise<string | null> = async () => SECRET;
  override secretOf(): Promise<string | null> {
    return this.reply();
  }
}

class RunningClock extends HandMovedClock {
  override monotonic(): number {
    return performance.now();
  }
}

function order(taskId: string, lease = 1): TaskOrder {
  return {
    taskId,
    lease,
    attempt: 1,
    handler: 'noop',
    params: { text: '价值' },
    priority: 5,
    timeoutMs: 1000,
    scheduledAt: 1,
    idempotencyKey: taskId,
    traceparent: '00-0-0-01',
  };
}

function runRequest(...tasks: TaskOrder[]): RunRequest {
  return { partition: 3, epoch: 7, workerId: 'w1', incarnation: life(1), tasks };
}

/** The text of an order and what it is about. */
const orderText = (...tasks: TaskOrder[]): [string, TaskOrder[]] => [JSON.stringify(runRequest(...tasks)), tasks];

const isSigned = ({ method, target, headers, body }: Received): boolean =>
  signatureMatches(
    SECRET,
    canonicalString({
      accessKey: String(headers[EK1_HEADERS.accessKey]),
      timestamp: String(headers[EK1_HEADERS.timestamp]),
      nonce: String(headers[EK1_HEADERS.nonce]),
      method,
      target,
      body,
    }),
    String(headers[EK1_HEADERS.signature]),
  );

describe('calling a worker', () => {
  let socket: WorkerSocket;
  let client: WorkerClient;
  let keys: KnownKeys;
  const at = (...urls: string[]): WorkerAddress => ({
    workerId: 'w1',
    incarnation: life(1),
    accessKey: KEY.accessKey,
    offer: { ...registration('w1'), urls },
  });
  const run = (tasks = [order('task_1')], timeoutMs = 2000) => client.run(at(socket.url), ...orderText(...tasks), timeoutMs);

  beforeEach(async () => {
    socket = await WorkerSocket.listen();
    keys = new KnownKeys();
    client = new WorkerClient(keys, new RunningClock());
  });
  afterEach(async () => {
    await client.onApplicationShutdown();
    await socket.close();
  });

  it('sends an order once, signed over its very bytes, and hands the answer back in the order asked', async () => {
    const tasks = [order('task_1'), order('task_2', 9)];
    socket.behave = (request, response) => {
      const { results, ...figures } = acceptAll(JSON.parse(request.body));
      const stranger = { taskId: 'task_9', lease: 1, outcome: 'accepted' };
      answer(response, 200, { ...figures, results: [stranger, ...results.reverse()], news: 'ignored' });
    };
    const reply = await run(tasks);
    expect(reply).toMatchObject({ kind: 'answered', answer: { seq: 1, active: 2, queued: 0, freeSlots: 4 } });
    expect(reply.kind === 'answered' && reply.answer.results.map(({ taskId }) => taskId)).toEqual(['task_1', 'task_2']);
    expect(socket.received).toHaveLength(1);
    const [received] = socket.received;
    expect(received).toMatchObject({ method: 'POST', target: '/run', headers: { 'content-type': 'application/json' } });
    expect(received && isSigned(received)).toBe(true);
    expect(JSON.parse(received?.body ?? '')).toEqual(runRequest(...tasks));
  });

  it('keeps the path of the address, and signs it', async () => {
    await client.run(at(`${socket.url}/workers/a/`), ...orderText(order('task_1')), 2000);
    expect(socket.received[0]?.target).toBe('/workers/a/run');
    expect(socket.received[0] && isSigned(socket.received[0])).toBe(true);
  });

  it('uses its connections again and opens few', async () => {
    for (let i = 0; i < 5; i++) await run();
    expect(socket.connections).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 40 }, () => run()));
    expect(socket.connections).toBeLessThanOrEqual(8);
    expect(socket.received).toHaveLength(45);
  });

  it('says that the connection was refused when nobody listens at any address', async () => {
    await socket.close();
    expect(await run()).toEqual({ kind: 'refused_connection' });
  });

  it('asks the next address when the connection to the first was refused, and only then', async () => {
    const gone = await WorkerSocket.listen();
    const { url } = gone;
    await gone.close();
    expect(await client.run(at(url, socket.url), ...orderText(order('task_1')), 2000)).toMatchObject({ kind: 'answered' });
    const broken = await WorkerSocket.listen();
    broken.behave = (_request, response) => answer(response, 503, {});
    expect(await client.run(at(broken.url, socket.url), ...orderText(order('task_1')), 2000)).toMatchObject({
      kind: 'ambiguous',
    });
    expect(socket.received).toHaveLength(1);
    await broken.close();
  });

  it.each([401, 404, 413] as const)('takes status %i as a definite no', async (status) => {
    socket.behave = (_request, response) => answer(response, status, { code: 'whatever' });
    expect(await run()).toEqual({ kind: 'definite', status });
  });

  it('takes a refusal of the instant it signed as clocks that are apart: no reason to give the worker up', async () => {
    socket.behave = (_request, response) => answer(response, 401, { code: 'timestamp_out_of_range' });
    expect(await run()).toEqual({ kind: 'clocks_apart' });
  });

  const complete = acceptAll(runRequest(order('task_1')));
  it.each<[string, WorkerSocket['behave'], RegExp]>([
    ['reads the order and resets', (_request, response) => response.socket?.resetAndDestroy(), /./],
    ['reads the order and closes', (_request, response) => response.socket?.destroy(), /./],
    [
      'breaks off in the middle of its answer',
      (_request, response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.socket?.destroy()),
      /./,
    ],
    ['never answers', () => undefined, /no answer within/],
    ['answers its head and nothing more', (_request, response) => response.writeHead(200).flushHeaders(), /no answer within/],
    ['fails', (_request, response) => answer(response, 500, {}), /status 500/],
    ['is behind a broken proxy', (_request, response) => answer(response, 502, '<html>'), /status 502/],
    ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /status 302/],
    ['answers no JSON', (_request, response) => answer(response, 200, '{"results":['), /not JSON/],
    ['answers null', (_request, response) => answer(response, 200, 'null'), /malformed/],
    ['leaves a task out', (_request, response) => answer(response, 200, { ...complete, results: [] }), /leaves tasks out/],
    [
      'answers for another lease',
      (_request, response) => answer(response, 200, acceptAll(runRequest(order('task_1', 2)))),
      /leaves tasks out/,
    ],
    ['counts in strings', (_request, response) => answer(response, 200, { ...complete, seq: '1' }), /\/seq must be an integer/],
    [
      'says an unknown word',
      (_request, response) => answer(response, 200, { ...complete, results: [{ taskId: 'task_1', lease: 1, outcome: 'maybe' }] }),
      /\/results\/0\/outcome/,
    ],
    [
      'answers without end',
      (_request, response) => response.writeHead(200).end('x'.repeat(LIMITS.channelBodyBytes + 1)),
      /too large/,
    ],
  ])('knows nothing when the worker %s', async (_title, behave, cause) => {
    socket.behave = behave;
    const reply = await run([order('task_1')], 300);
    expect(reply).toMatchObject({ kind: 'ambiguous', cause: expect.stringMatching(cause) });
    // The connection or its pool is not left broken behind.
    socket.behave = (request, response) => answer(response, 200, acceptAll(JSON.parse(request.body)));
    expect(await run()).toMatchObject({ kind: 'answered' });
  });

  it('knows nothing, and asks nobody, when the order cannot be signed', async () => {
    keys.reply = () => Promise.reject(new Error('database away'));
    expect(await run()).toMatchObject({ kind: 'ambiguous', cause: expect.stringContaining('database away') });
    keys.reply = () => Promise.resolve(null);
    expect(await run()).toMatchObject({ kind: 'ambiguous' });
    expect(socket.received).toEqual([]);
  });

  it('tells a worker which attempts to stop', async () => {
    const orders = [{ taskId: 'task_1', lease: 3, reason: 'cancelled' as const }];
    const results = [{ taskId: 'task_1', lease: 3, outcome: 'stopping' }];
    socket.behave = (_request, response) => answer(response, 200, { results });
    expect(await client.cancel(at(socket.url), orders)).toEqual({ kind: 'answered', answer: { results } });
    expect(socket.received[0]).toMatchObject({ method: 'POST', target: '/cancel', body: JSON.stringify({ tasks: orders }) });
    socket.behave = (_request, response) => answer(response, 200, { results: [{ ...results[0], outcome: 'accepted' }] });
    expect(await client.cancel(at(socket.url), orders)).toMatchObject({ kind: 'ambiguous' });
  });

  it('asks a worker for its health, signed', async () => {
    const health = {
      workerId: 'w1',
      incarnation: life(1),
      state: 'ready',
      attempts: [{ taskId: 'task_1', lease: 1, phase: 'running' }],
    };
    socket.behave = (_request, response) => answer(response, 200, health);
    expect(await client.health(at(socket.url), 2000)).toEqual({ kind: 'answered', health });
    expect(socket.received[0]).toMatchObject({ method: 'GET', target: '/health', body: '' });
    expect(socket.received[0] && isSigned(socket.received[0])).toBe(true);
  });

  it('calls a worker silent that refuses, fails or does not know the signature, but not one it could not ask', async () => {
    socket.behave = (_request, response) => answer(response, 401, {});
    expect(await client.health(at(socket.url), 2000)).toMatchObject({ kind: 'silent' });
    socket.behave = () => undefined;
    expect(await client.health(at(socket.url), 200)).toMatchObject({ kind: 'silent' });
    await socket.close();
    expect(await client.health(at(socket.url), 200)).toMatchObject({ kind: 'silent' });
    keys.reply = () => Promise.reject(new Error('database away'));
    expect(await client.health(at(socket.url), 2000)).toMatchObject({ kind: 'not_asked' });
  });
});
