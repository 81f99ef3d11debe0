import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { ended, untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const CLI = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');
const MANUAL = { handler: 'echo', schedule: { kind: 'manual' }, overlap: 'allow', maxParallel: 100 } as const;
const JOIN = { handler: 'echo', schedule: { kind: 'upstream' }, overlap: 'allow', maxParallel: 100 } as const;
const NONE = { retry: { kind: 'none' } } as const;

describe.each(ADAPTERS)('flows over the API (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  let url: string;
  beforeAll(async () => {
    installation = await Installation.create(adapter, ['default', 'mail']);
    ({ url } = await installation.startNode('n1'));
    await installation.startWorker({ id: 'w1', slots: 10 });
    client = installation.client(undefined, 5_000);
  }, 120_000);
  afterAll(() => installation?.remove());

  it('runs a diamond of jobs by their keys, and lists the flow', async () => {
    const a = await client.createJob({ ...MANUAL, key: 'a' });
    const b = await client.createJob({ ...JOIN, key: 'b', upstreams: ['a'] });
    const c = await client.createJob({ ...JOIN, key: 'c', upstreams: ['a'] });
    const d = await client.createJob({ ...JOIN, key: 'd', upstreams: ['b', c.id] });
    expect((await client.getJob(d.id)).upstreams).toEqual([b.id, c.id]);
    const root = await client.triggerJob(a.id);
    const flow = await waitFor('the flow has ended', async () => {
      const { items } = await client.list({ flowId: root.id });
      return items.length === 4 && items.every(({ status }) => status === 'SUCCEEDED') ? items : null;
    });
    expect(flow.map(({ jobId }) => jobId).sort()).toEqual([a.id, b.id, c.id, d.id].sort());
    expect(new Set(flow.map(({ flowId }) => flowId))).toEqual(new Set([root.id]));
    const { version } = await client.getJob(b.id);
    await expect(client.changeJob(b.id, { ...JOIN, version, upstreams: ['d'] })).rejects.toMatchObject({
      code: 'dependency_cycle',
      problem: { path: ['b', 'd', 'b'] },
    });
    await expect(client.deleteJob(c.id)).rejects.toMatchObject({ code: 'job_has_dependants', problem: { dependants: ['d'] } });
    await expect(client.createJob({ ...JOIN, key: 'x', upstreams: ['a', 'nobody'] })).rejects.toMatchObject({
      problem: { errors: [{ pointer: '/upstreams/1', code: 'unknown_job' }] },
    });
    await expect(client.createJob({ ...JOIN, key: 'x' })).rejects.toMatchObject({
      problem: { errors: [{ pointer: '/upstreams', code: 'required' }] },
    });
    await expect(client.createJob({ ...MANUAL, key: 'x', upstreams: ['a'] })).rejects.toMatchObject({
      problem: { errors: [{ pointer: '/upstreams', code: 'excluded' }] },
    });
  });

  it('warns of a join that can never fire, as it is created and whenever it is looked at, until it can', async () => {
    await client.createJob({ ...MANUAL, key: 'one' });
    const two = await client.createJob({ ...MANUAL, key: 'two' });
    const stated = { ...JOIN, key: 'both', upstreams: ['one', 'two'], clientRequestId: 'both' };
    const send = () => signedRequest(url, installation.appKey, 'POST', '/openapi/v1/jobs', stated);
    const created = await send();
    expect([created.status, created.headers.get('evenkeel-warnings')]).toEqual([201, 'no_common_flow']);
    const both = created.body;
    const seen = await client.getJob(both.id);
    expect(seen.warnings).toEqual([
      { code: 'no_common_flow', message: expect.stringContaining('never fires by itself'), jobs: seen.upstreams },
    ]);
    expect((await client.pauseJob(both.id)).warnings).toHaveLength(1);
    const { version } = await client.getJob(two.id);
    await client.changeJob(two.id, { ...JOIN, version, upstreams: ['one'] });
    expect((await client.resumeJob(both.id)).warnings).toEqual([]);
    const again = await send();
    expect([again.headers.get('evenkeel-warnings'), again.body]).toEqual([null, both]);
    const timed = await client.createJob({
      ...{ key: 'timed', handler: 'echo', schedule: { kind: 'every', everyMs: 3_600_000 } },
      upstreams: ['one'],
    });
    const { warnings } = await client.getJob(timed.id);
    expect(warnings.map(({ code }) => code)).toEqual(['never_awaited']);
  });

  it('a submitted task waits for those it depends on, and says so', async () => {
    const slow = await client.submit('sleep', { ms: 5_000 });
    const after = await client.submit('echo', { n: 1 }, { dependsOn: [slow.id] });
    expect(after.status).toBe('BLOCKED');
    expect(await client.get(after.id)).toMatchObject({ status: 'BLOCKED', reason: 'waiting_for_upstream', flowId: slow.id });
    const [first, second] = await ended(client, [slow.id, after.id]);
    expect([first?.status, second?.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(Date.parse(second?.startedAt as string)).toBeGreaterThanOrEqual(Date.parse(first?.finishedAt as string));
    await expect(client.submit('echo', null, { dependsOn: ['task_00000000000000000000000000'] })).rejects.toMatchObject({
      problem: { errors: [{ pointer: '/dependsOn/0', code: 'unknown_task' }] },
    });
    const batch = await client.submitBatch([
      { handler: 'echo', dependsOn: [after.id] },
      { handler: 'echo', dependsOn: [after.id, 'task_00000000000000000000000000'] },
      { handler: 'echo' },
    ]);
    expect(batch.summary).toEqual({ accepted: 2, replayed: 0, rejected: 1 });
    expect(batch.results[1]?.error?.errors?.[0]?.pointer).toBe('/items/1/dependsOn/1');
  });

  it('a failure skips what waits, and a retry by the command resumes it', async () => {
    const failing = await client.submit('flaky', { failTimes: 1 }, NONE);
    const below = await client.submit('echo', null, { dependsOn: [failing.id] });
    const last = await client.submit('echo', null, { dependsOn: [below.id] });
    const skipped = await untilTask(client, last.id, 'SKIPPED');
    expect(skipped).toMatchObject({ reason: 'upstream_failed', result: { upstream: below.id, status: 'SKIPPED' } });
    expect((await client.get(below.id)).result).toEqual({ upstream: failing.id, status: 'FAILED' });
    await expect(client.retry(last.id)).rejects.toMatchObject({
      code: 'task_not_retryable',
      problem: { currentStatus: 'SKIPPED' },
    });
    await expect(client.retry('task_00000000000000000000000000')).rejects.toMatchObject({ code: 'task_not_found' });
    const { accessKey, secret } = installation.appKey;
    const env = { ...process.env, EVENKEEL_URL: url, EVENKEEL_ACCESS_KEY: accessKey, EVENKEEL_SECRET_KEY: secret };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'retry', failing.id, '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ id: failing.id, attempt: 2 });
    const [task, , end] = await ended(client, [failing.id, below.id, last.id]);
    expect([task?.status, end?.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(task?.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded']);
  });

  it('an event fires the jobs that listen, once per clientRequestId', async () => {
    const job = { handler: 'echo', schedule: { kind: 'event', name: 'order.paid' } } as const;
    const one = await client.createJob({ ...job, key: 'ship', params: { to: 'stock' } });
    const two = await client.createJob({ ...job, key: 'thank', group: 'mail' });
    const sent = await client.sendEvent('order.paid', { order: '4711' }, { clientRequestId: 'paid-4711' });
    expect(await client.sendEvent('order.paid', { order: '4711' }, { clientRequestId: 'paid-4711' })).toEqual(sent);
    await expect(client.sendEvent('order.paid', { order: '1' }, { clientRequestId: 'paid-4711' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      problem: { existingEventId: sent.id },
    });
    const tasks = await ended(client, sent.taskIds);
    expect(tasks.map(({ jobId }) => jobId).sort()).toEqual([one.id, two.id].sort());
    const event = { id: sent.id, name: 'order.paid', payload: { order: '4711' } };
    expect(tasks.find(({ jobId }) => jobId === one.id)?.params).toEqual({ to: 'stock', event });
    expect((await client.sendEvent('nobody.listens')).taskIds).toEqual([]);
  });

  it('a job on a schedule waits for its upstream of the same second', async () => {
    const every = { kind: 'every', everyMs: 2_000 } as const;
    const up = await client.createJob({ key: 'up', handler: 'sleep', params: { ms: 500 }, schedule: every });
    const down = await client.createJob({ key: 'down', handler: 'noop', schedule: every, upstreams: ['up'] });
    const done = await waitFor('three have run', async () => {
      const { items } = await client.list({ jobId: down.id, status: 'SUCCEEDED' });
      return items.length >= 3 ? items : null;
    });
    await client.deleteJob(down.id);
    const ups = (await client.list({ jobId: up.id })).items;
    await client.deleteJob(up.id);
    for (const { scheduledAt, startedAt } of done) {
      const upstream = ups.find((each) => each.scheduledAt === scheduledAt);
      if (upstream) expect(Date.parse(startedAt as string)).toBeGreaterThanOrEqual(Date.parse(upstream.finishedAt as string));
    }
    expect(done.some(({ scheduledAt }) => ups.some((each) => each.scheduledAt === scheduledAt))).toBe(true);
  });
});
