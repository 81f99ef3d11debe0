import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HandlerRunOptions, runHandler } from '@evenkeel/sdk/testing';
import { type AttemptContext, jsonLogger, NonRetryableError, RetryAfterError } from '@evenkeel/sdk/worker';
import { FakeCentre, KEY, order, SECRET } from '../../sdk/test/fake-centre.js';
import { GuardedHttp } from '../../src/callbacks/guarded-http.js';
import { dnsResolver } from '../../src/callbacks/guarded-resolver.js';
import { fail } from '../../src/cli/sample-worker/handlers/fail.js';
import { flaky } from '../../src/cli/sample-worker/handlers/flaky.js';
import { httpCaller } from '../../src/cli/sample-worker/handlers/http.js';
import { shards } from '../../src/cli/sample-worker/handlers/shards.js';
import { sleep } from '../../src/cli/sample-worker/handlers/sleep.js';
import { runSampleWorker } from '../../src/cli/sample-worker/sample-worker.js';
import { addressClassifier } from '../../src/decisions/address-class.js';

const guarded = (networks: string[] = []) => {
  const classify = addressClassifier(networks);
  return new GuardedHttp({ classify, resolve: dnsResolver(), reservedPorts: new Set(), devTargets: [] });
};

const context = (change: Partial<AttemptContext> = {}): AttemptContext =>
  ({
    idempotencyKey: 'task_1',
    traceparent: '00-trace-01',
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...change,
  }) as AttemptContext;

describe('the sample handlers', () => {
  it('flaky fails on its first attempts only', () => {
    expect(() => flaky({ failTimes: 2 }, context({ attempt: 2 }))).toThrow('attempt 2 fails');
    expect(flaky({ failTimes: 2 }, context({ attempt: 3 }))).toEqual({ attempt: 3 });
  });

  it('fail fails as it is told', () => {
    expect(() => fail({ message: 'told' })).toThrow('told');
    expect(() => fail({ retryable: false })).toThrow(NonRetryableError);
  });

  it('sleep stops when asked to', async () => {
    const stop = new AbortController();
    const sleeping = sleep({ ms: 60_000 }, context({ signal: stop.signal }));
    stop.abort(new Error('asked'));
    await expect(sleeping).rejects.toThrow('asked');
    await expect(sleep({ ms: 1 }, context())).resolves.toEqual({ sleptMs: 1 });
    await expect(sleep({ ms: '1' }, context())).rejects.toThrow(NonRetryableError);
  });
});

describe('the shards handler', () => {
  const items = Array.from({ length: 100 }, (_, n) => `key/${n}`);
  const part = (shard: HandlerRunOptions['shard'], more: HandlerRunOptions = {}) =>
    runHandler('shards', shards, { items }, { shard, ...more });

  it.each([
    ['equal parts', [0, 1, 2].map((index) => ({ index, total: 3 }))],
    [
      'shares by weight',
      [
        { index: 0, total: 3, share: { from: 0, to: 0.1 } },
        { index: 1, total: 3, share: { from: 0.1, to: 0.6 } },
        { index: 2, total: 3, share: { from: 0.6, to: 1 } },
      ],
    ],
  ])('does each item in exactly one shard, in %s', async (_, split) => {
    const ends = await Promise.all(split.map((shard) => part(shard)));
    const done = ends.flatMap(({ result }) => (result as { items: string[] }).items);
    expect([...done].sort()).toEqual([...items].sort());
    for (const { progress } of ends) expect(progress.at(-1)).toBe(1);
    const owned = ends.map(({ result }) => (result as { owned: number }).owned);
    expect(Math.max(...owned)).toBeLessThan(80);
  });

  it('goes on where the attempt before stood', async () => {
    const first = await runHandler('shards', shards, { items: 10, failAfter: 4 });
    expect(first).toMatchObject({ outcome: 'failed', retryable: true });
    const checkpoint = first.checkpoints.at(-1);
    expect(checkpoint).toEqual({ done: 4 });
    const second = await runHandler('shards', shards, { items: 10, failAfter: 4 }, { attempt: 2, checkpoint });
    expect(second).toMatchObject({ outcome: 'succeeded', result: { owned: 10, resumedAfter: 4 } });
    expect(second.progress).toHaveLength(6);
  });

  it.each([{ items: -1 }, { items: [{}] }, { msPerItem: 'x' }, { failAfter: 1.5 }])('refuses %j for good', async (params) => {
    expect(await runHandler('shards', shards, params)).toMatchObject({ outcome: 'failed', retryable: false });
  });
});

describe('the http handler', () => {
  let server: Server;
  let base: string;
  let seen: IncomingMessage[];
  let hits: number;
  const open = httpCaller(guarded(['127.0.0.0/8', '::1/128']));

  beforeEach(async () => {
    seen = [];
    hits = 0;
    server = createServer((request, response) => {
      hits++;
      seen.push(request);
      const path = request.url ?? '';
      if (path === '/silent') return;
      if (path === '/large') response.end('x'.repeat(200_000));
      else if (path === '/moved') response.writeHead(302, { location: '/ok' }).end();
      else if (path === '/later') response.writeHead(503, { 'retry-after': '7' }).end('later');
      else if (path === '/wrong') response.writeHead(500).end('broken inside');
      else request.pipe(response.writeHead(200));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('calls with method, headers and body, and passes idempotency key and trace on', async () => {
    const answer = await open(
      { url: `${base}/echo`, method: 'POST', headers: { 'X-A': 'b', Host: 'evil' }, body: { n: 1 } },
      context(),
    );
    expect(answer).toEqual({ status: 200, body: '{"n":1}' });
    expect(seen[0]?.headers).toMatchObject({
      'x-a': 'b',
      'idempotency-key': 'task_1',
      traceparent: '00-trace-01',
      'content-type': 'application/json',
    });
    expect(seen[0]?.headers.host).toContain('127.0.0.1');
  });

  it('follows no redirect and names what it expected', async () => {
    await expect(open({ url: `${base}/moved` }, context())).rejects.toThrow(
      /answered 302, expected 2xx \(redirects are not followed\)/,
    );
    await expect(open({ url: `${base}/moved`, expectStatus: [302] }, context())).resolves.toMatchObject({ status: 302 });
    expect(hits).toBe(2);
  });

  it('keeps 64 KiB of the answer', async () => {
    const answer = await open({ url: `${base}/large` }, context());
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body).toHaveLength(64 * 1024);
  });

  it('fails with the status and the beginning of the answer, later if told so', async () => {
    await expect(open({ url: `${base}/wrong` }, context())).rejects.toThrow(/answered 500.*broken inside/);
    const error = await open({ url: `${base}/later` }, context()).catch((each) => each);
    expect(error).toBeInstanceOf(RetryAfterError);
    expect(error.ms).toBe(7000);
  });

  it('gives up after its time, and at once when aborted', async () => {
    await expect(open({ url: `${base}/silent`, timeoutMs: 50 }, context())).rejects.toThrow('no complete answer within 50 ms');
    const stop = new AbortController();
    const calling = open({ url: `${base}/silent` }, context({ signal: stop.signal }));
    stop.abort(new Error('asked'));
    await expect(calling).rejects.toThrow('asked');
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '127.1', '0x7f.1', 'localhost'])(
    'does not connect to %s unless it is opened',
    async (host) => {
      const { port } = server.address() as AddressInfo;
      const closed = httpCaller(guarded());
      await expect(closed({ url: `http://${host}:${port}/ok` }, context())).rejects.toThrow(NonRetryableError);
      expect(hits).toBe(0);
    },
  );

  it.each([
    [{ url: 'file:///etc/passwd' }, /^url:/],
    [{ url: 'http://u:p@h/' }, /^url:/],
    [{ url: 'http://h/', method: 'TRACE' }, /^method:/],
    [{ url: 'http://h/', headers: { 'a\n': 'b' } }, /^headers/],
    [{ url: 'http://h/', timeoutMs: '5' }, /^timeoutMs:/],
    [{}, /^url:/],
  ])('refuses %j for good', async (params, message) => {
    const error = await open(params, context()).catch((each) => each);
    expect(error).toBeInstanceOf(NonRetryableError);
    expect(error.message).toMatch(message);
  });
});

describe('the sample worker', () => {
  it('runs until SIGTERM, then drains and resolves', async () => {
    const centre = await new FakeCentre().listen();
    const dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-'));
    const logger = jsonLogger('error');
    const common = { centre: centre.url, key: KEY, secret: SECRET, groups: ['demo'], dataDir, logger };
    const listener = await new Promise<() => Promise<void>>((resolve) => {
      const running = runSampleWorker({ ...common, openNetworks: ['127.0.0.0/8'], onReady: () => resolve(() => running) });
    });
    expect(centre.worker.handlers.map(({ name }) => name)).toEqual(['noop', 'echo', 'sleep', 'fail', 'flaky', 'http', 'shards']);
    const task = order({ handler: 'http', params: { url: `${centre.url}/elsewhere`, expectStatus: 401 } });
    await centre.run([task]);
    process.emit('SIGTERM');
    await listener();
    expect(centre.resultOf(task.taskId)).toMatchObject({ outcome: 'succeeded', result: { status: 401 } });
    expect(centre.deregistrations).toHaveLength(1);
    await centre.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('rejects when the centre will not have it', async () => {
    const centre = await new FakeCentre().listen();
    centre.behaviour.register = { status: 409, body: { code: 'worker_id_in_use', title: 'in use' } };
    const dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-'));
    const running = runSampleWorker({
      centre: centre.url,
      key: KEY,
      secret: SECRET,
      groups: ['demo'],
      dataDir,
      logger: jsonLogger('error', () => undefined),
    });
    await expect(running).rejects.toThrow(/is in use/);
    await centre.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
