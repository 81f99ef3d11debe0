import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { untilTask } from '../support/tasks.js';
import { waitFor } from '../support/wait-for.js';

const CLI = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'evenkeel.js');

describe.each(ADAPTERS)('jobs over the API (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  beforeAll(async () => {
    installation = await Installation.create(adapter, ['default', 'mail']);
    await installation.startNode('n1');
    await installation.startWorker({ id: 'w1', slots: 10 });
    client = installation.client(undefined, 5_000);
  }, 120_000);
  afterAll(() => installation?.remove());

  const manual = { handler: 'echo', schedule: { kind: 'manual' } } as const;
  const tasksOf = async (jobId: string) => (await client.list({ jobId })).items;

  it('fires a job on time, and its tasks run and name it', async () => {
    const { id } = await client.createJob({
      key: 'tick',
      handler: 'noop',
      schedule: { kind: 'every', everyMs: 1_000 },
      overlap: 'allow',
    });
    const { fires } = await client.nextFires(id, 2);
    const done = await waitFor('two fires have run, and the one that was foretold', async () => {
      const tasks = (await tasksOf(id)).filter(({ status }) => status === 'SUCCEEDED');
      return tasks.length >= 2 && tasks.some(({ scheduledAt }) => scheduledAt === fires[0]) ? tasks : null;
    });
    expect((await client.deleteJob(id)) as undefined).toBeUndefined();
    for (const task of done) {
      expect(task.jobId).toBe(id);
      expect(Date.parse(task.createdAt)).toBeGreaterThanOrEqual(Date.parse(task.scheduledAt));
    }
    await expect(client.getJob(id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await client.get(done[0]?.id as string)).jobId).toBe(id);
  });

  it('goes on after the end of the task before', async () => {
    const { id } = await client.createJob({ key: 'chain', handler: 'noop', schedule: { kind: 'after', delayMs: 100 } });
    await waitFor('three have run', async () => (await tasksOf(id)).filter(({ status }) => status === 'SUCCEEDED').length >= 3);
    await client.deleteJob(id);
  });

  it('creates one job for one clientRequestId', async () => {
    const job = { ...manual, key: 'once', clientRequestId: 'create-once', params: { n: 1 } };
    const [first, second] = [await client.createJob(job), await client.createJob(job)];
    expect(second).toEqual(first);
    await expect(client.createJob({ ...job, params: { n: 2 } })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      status: 422,
    });
    const same = client.createJob({ ...manual, key: 'once' });
    await expect(same).rejects.toMatchObject({
      code: 'validation_failed',
      problem: { errors: [{ pointer: '/key', code: 'not_unique' }] },
    });
    expect(await client.getJob(first.id)).toMatchObject({
      ...first,
      params: { n: 1 },
      version: 1,
      state: 'active',
      nextFireAt: null,
    });
  });

  it('creates no job again that was deleted, however often its creation is repeated', async () => {
    const job = { ...manual, key: 'deleted', clientRequestId: 'create-deleted' };
    const { id } = await client.createJob(job);
    await client.deleteJob(id);
    for (let n = 0; n < 2; n++)
      await expect(client.createJob(job)).rejects.toMatchObject({
        code: 'state_conflict',
        status: 409,
        problem: { deletedJobId: id, retryable: false },
      });
    await expect(client.createJob({ ...job, params: 1 })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect((await client.listJobs({ key: 'deleted' })).items).toEqual([]);
    const next = await client.createJob({ ...job, clientRequestId: 'create-deleted-2' });
    await client.deleteJob(next.id);
  });

  it('answers the repeated creation of a job that has fired for the only time as it did the first', async () => {
    const at = new Date(Date.now() + 5_000).toISOString();
    const job = {
      handler: 'noop',
      schedule: { kind: 'once', at },
      key: 'only-once',
      clientRequestId: 'create-only-once',
    } as const;
    const first = await client.createJob(job);
    await waitFor('it has fired', async () => (await tasksOf(first.id)).length > 0);
    expect(await client.createJob(job)).toEqual(first);
    await expect(client.createJob({ ...job, params: 1 })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await expect(client.createJob({ ...job, clientRequestId: 'another' })).rejects.toMatchObject({ code: 'invalid_schedule' });
    const edit = { handler: 'noop', schedule: job.schedule, description: 'has been', version: 1 };
    expect(await client.changeJob(first.id, edit)).toMatchObject({ version: 2, description: 'has been', nextFireAt: null });
    const over = { kind: 'once', at: new Date(Date.parse(at) - 1).toISOString() } as const;
    await expect(client.changeJob(first.id, { ...edit, schedule: over, version: 2 })).rejects.toMatchObject({
      code: 'invalid_schedule',
    });
  });

  it('refuses a schedule or a zone that cannot be', async () => {
    const refused = (schedule: object) => client.createJob({ key: 'bad', handler: 'noop', schedule } as never);
    await expect(refused({ kind: 'cron', expression: '61 * * * *', timeZone: 'UTC' })).rejects.toMatchObject({
      code: 'invalid_schedule',
      status: 422,
    });
    await expect(refused({ kind: 'cron', expression: '0 * * * *', timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'unknown_timezone',
    });
    await expect(client.createJob({ ...manual, key: 'bad', group: 'other' })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('changes a job from its current version only', async () => {
    const { id } = await client.createJob({ ...manual, key: 'edited' });
    const changed = await client.changeJob(id, { ...manual, handler: 'noop', version: 1 });
    expect(changed).toMatchObject({ version: 2, handler: 'noop' });
    const stale = client.changeJob(id, { ...manual, version: 1 });
    await expect(stale).rejects.toMatchObject({
      code: 'version_conflict',
      status: 409,
      problem: { statedVersion: 1, currentVersion: 2, current: { version: 2, handler: 'noop' } },
    });
  });

  it('pauses, resumes and lists', async () => {
    const { id } = await client.createJob({
      key: 'p',
      handler: 'noop',
      group: 'mail',
      schedule: { kind: 'cron', expression: '0 8 * * *', timeZone: 'Europe/Berlin' },
    });
    expect(await client.pauseJob(id, 'maintenance')).toMatchObject({
      state: 'paused',
      pauseReason: 'maintenance',
      nextFireAt: null,
    });
    expect((await client.listJobs({ state: 'paused' })).items.map((job) => job.id)).toEqual([id]);
    expect(await client.resumeJob(id)).toMatchObject({ state: 'active', pauseReason: null });
    const { timeZone, fires } = await client.nextFires(id, 3);
    expect([timeZone, fires.length]).toEqual(['Europe/Berlin', 3]);
    expect((await client.getJob(id)).nextFireAt).toBe(fires[0]);
    const all = await client.listJobs({ limit: 1 });
    const following = await client.listJobs({ limit: 1, cursor: all.nextCursor as string });
    expect(following.items[0]?.id).not.toBe(all.items[0]?.id);
  });

  it('runs a job now with other params, digit for digit', async () => {
    const { id } = await client.createJob({ ...manual, key: 'now', params: { n: 1 } });
    const task = await client.triggerJob(id, { params: { n: 2 } });
    expect(await client.wait(task.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED', result: { n: 2 }, jobId: id });
    expect(await client.getJob(id)).toMatchObject({ params: { n: 1 }, version: 1 });
  });

  it('stops what runs for the sake of a newer run, which starts when that has stopped', async () => {
    const { id } = await client.createJob({
      key: 'newest',
      handler: 'sleep',
      schedule: { kind: 'manual' },
      params: { ms: 60_000 },
      overlap: 'replace',
    });
    const first = await client.triggerJob(id);
    await untilTask(client, first.id, 'RUNNING');
    const second = await client.triggerJob(id, { params: { ms: 1 } });
    expect(second).toMatchObject({ status: 'BLOCKED', reason: 'waiting_for_turn' });
    const [old, ended] = [
      await client.wait(first.id, { timeoutMs: 40_000 }),
      await client.wait(second.id, { timeoutMs: 40_000 }),
    ];
    expect([old.status, ended.status]).toEqual(['CANCELLED', 'SUCCEEDED']);
    expect(Date.parse(ended.startedAt as string)).toBeGreaterThanOrEqual(Date.parse(old.finishedAt as string));
  }, 90_000);

  it('runs once for one clientRequestId', async () => {
    const { id } = await client.createJob({ ...manual, key: 'run-once' });
    const run = { clientRequestId: 'run-once-1' };
    const [first, second] = [await client.triggerJob(id, run), await client.triggerJob(id, run)];
    expect(second.id).toBe(first.id);
    await expect(client.triggerJob(id, { ...run, force: true })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is served by the command line', async () => {
    const { accessKey, secret } = installation.appKey;
    const env = {
      PATH: process.env.PATH,
      EVENKEEL_URL: installation.nodes[0]?.url,
      EVENKEEL_ACCESS_KEY: accessKey,
      EVENKEEL_SECRET_KEY: secret,
    };
    const evenkeel = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [CLI, 'jobs', ...args], { env })).stdout;
    const key = 'from-the-shell';
    expect(await evenkeel('create', key, 'noop', '--cron', '0 8 * * *', '--time-zone', 'Asia/Shanghai')).toMatch(
      /^job_\w+ from-the-shell in default, next fire 2/,
    );
    expect(await evenkeel('list')).toContain('0 8 * * * (Asia/Shanghai)');
    expect(await evenkeel('next', key, '-n', '2')).toMatch(/08:00:00 Asia\/Shanghai\n.*08:00:00 Asia\/Shanghai\n$/);
    expect(await evenkeel('pause', key, '--reason', 'holiday')).toContain('paused (holiday)');
    expect(await evenkeel('resume', key)).toContain('active');
    expect(await evenkeel('trigger', key)).toMatch(/^task_\w+ PENDING/);
    expect(await evenkeel('delete', key)).toContain('deleted');
    await expect(evenkeel('pause', key)).rejects.toMatchObject({ code: 1 });
  }, 60_000);
});
