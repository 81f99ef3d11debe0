import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import type { AppLimits } from '../../src/auth/app-limits.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('an app that has its limits (%s)', (adapter) => {
  let installation: Installation;
  let url: string;
  const clients: EvenkeelClient[] = [];
  beforeAll(async () => {
    installation = await Installation.create(adapter);
    url = (await installation.startNode('n1')).url;
  }, 120_000);
  afterAll(async () => {
    for (const client of clients) client.close();
    await installation?.remove();
  });

  async function appWith(limits: Partial<AppLimits>) {
    const context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), {
      logger: false,
    });
    const { id } = await context.get(AppsService).create({ name: 'small', defaultGroup: 'default', limits });
    const key = await context.get(AccessKeysService).create({ kind: 'partner', appId: id, label: 'x' });
    await context.close();
    const client = createClient({ url, accessKey: key.accessKey, secretKey: key.secret, retryForMs: 0 });
    clients.push(client);
    return { client, key };
  }

  it('is refused whatever would make another unfinished task, and answered what it repeats', async () => {
    const { client } = await appWith({ unfinishedTasks: 4 });
    const manual = await client.createJob({ key: 'manual', handler: 'echo', schedule: { kind: 'manual' }, overlap: 'allow' });
    await client.createJob({ key: 'listens', handler: 'echo', schedule: { kind: 'event', name: 'paid' } });
    const run = await client.triggerJob(manual.id, { clientRequestId: 'run-1' });
    const event = await client.sendEvent('paid', null, { clientRequestId: 'paid-1' });
    for (let n = 0; n < 2; n++) await client.submit('echo', null, { delayMs: 3_600_000 });
    const { id: cancelled } = await client.submit('echo', null, { delayMs: 3_600_000 });
    await client.cancel(cancelled);
    const full = expect.objectContaining({ code: 'concurrency_limited', status: 429 });
    // No worker: nothing ends, so that it is full once that was counted.
    await waitFor('it was counted', async () => {
      const refused = await client.submit('echo').then(
        () => null,
        (error) => error,
      );
      return refused?.code === 'concurrency_limited';
    });
    await expect(client.triggerJob(manual.id)).rejects.toEqual(full);
    await expect(client.sendEvent('paid')).rejects.toEqual(full);
    await expect(client.retry(cancelled)).rejects.toEqual(full);
    expect((await client.get(cancelled)).status).toBe('CANCELLED');
    expect((await client.triggerJob(manual.id, { clientRequestId: 'run-1' })).id).toBe(run.id);
    expect(await client.sendEvent('paid', null, { clientRequestId: 'paid-1' })).toEqual(event);
    await expect(client.sendEvent('paid', 'other', { clientRequestId: 'paid-1' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  /** Status, code and what the bucket of tasks then holds. */
  const posting = (key: { accessKey: string; secret: string }) => async (target: string, body?: object) => {
    const answer = await signedRequest(url, key, 'POST', `/openapi/v1${target}`, body);
    const left = /"tasks";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
    return [answer.status, answer.body.code ?? null, left === undefined ? null : Number(left)];
  };

  it('pays for each task that it makes: of an event for all it fires, and for a retry as for a submission', async () => {
    const { client, key } = await appWith({ tasksPerSecond: 0.001, taskBurst: 6 });
    const post = posting(key);
    const listen = (name: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          client.createJob({ key: `${name}-${n}`, handler: 'echo', schedule: { kind: 'event', name } }),
        ),
      );
    const [off] = await listen('wide', 4);
    await client.pauseJob(off?.id as string);
    await listen('flood', 8);
    const event = { clientRequestId: 'wide-1', name: 'wide' };
    expect(await post('/events', event)).toEqual([202, null, 3]);
    expect(await post('/events', event)).toEqual([202, null, 2]);
    // As much as the bucket holds, so that it can be sent some time; not `batch_too_large`.
    expect(await post('/events', { clientRequestId: 'flood-1', name: 'flood' })).toEqual([429, 'rate_limited', 2]);
    const { id } = await client.submit('echo', null, { delayMs: 3_600_000 });
    expect(await post(`/tasks/${id}/retry`)).toEqual([409, 'task_not_retryable', null]);
    await client.cancel(id);
    expect(await post(`/tasks/${id}/retry`)).toEqual([202, null, 0]);
    await client.cancel(id);
    expect(await post(`/tasks/${id}/retry`)).toEqual([429, 'rate_limited', 0]);
    expect((await client.get(id)).status).toBe('CANCELLED');
    expect(await post('/events', { clientRequestId: 'nobody-1', name: 'nobody' })).toEqual([429, 'rate_limited', 0]);
  });

  it('pays for each shard of what it submits, fires and retries, for a repetition once, and never more than it may create at once', async () => {
    const { client, key } = await appWith({ tasksPerSecond: 0.001, taskBurst: 40 });
    const post = posting(key);
    const later = { handler: 'echo', delayMs: 3_600_000 };
    const divided = { ...later, shards: 10, clientRequestId: 'ten' };
    expect(await post('/tasks', divided)).toEqual([202, null, 30]);
    expect(await post('/tasks', divided)).toEqual([202, null, 29]);
    expect(await post('/tasks', { ...later, shards: 'broadcast' })).toEqual([202, null, 28]);
    expect(await post('/tasks/run', { ...later, shards: 3 })).toEqual([202, null, 25]);
    const items = [{ ...later, shards: 4, clientRequestId: 'four' }, { ...later, clientRequestId: 'one' }, { shards: 2_000 }];
    expect(await post('/tasks/batch', { items })).toEqual([202, null, 19]);
    expect(await post('/tasks/batch', { items: items.slice(0, 2) })).toEqual([202, null, 17]);

    const schedule = { kind: 'event' as const, name: 'split' };
    const job = await client.createJob({ key: 'wide', handler: 'echo', shards: 2, schedule });
    await client.createJob({ key: 'narrow', handler: 'echo', schedule });
    expect(await post('/events', { clientRequestId: 'wide-1', name: 'split' })).toEqual([202, null, 14]);
    expect(await post(`/jobs/${job.id}/trigger`, { clientRequestId: 'run' })).toEqual([202, null, 12]);
    expect(await post(`/jobs/${job.id}/trigger`, { clientRequestId: 'run' })).toEqual([202, null, 11]);

    const [ten] = (await client.list({ clientRequestId: 'ten' })).items;
    const { id } = ten as { id: string };
    await client.cancel(id);
    expect(await post(`/tasks/${id}/retry`)).toEqual([202, null, 1]);
  });

  it('pays for its shards once, however many requests bring the same at the same moment', async () => {
    const { client, key } = await appWith({
      requestsPerSecond: 1_000,
      requestBurst: 1_000,
      tasksPerSecond: 0.001,
      taskBurst: 1_000,
    });
    const post = posting(key);
    const later = { handler: 'echo', delayMs: 3_600_000 };
    const schedule = { kind: 'event' as const, name: 'at-once' };
    const job = await client.createJob({ key: 'at-once', handler: 'echo', shards: 9, schedule });
    const atOnce = async (target: string, body: object) => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => post(target, body)));
      expect(answers.map(([status]) => status)).toEqual(answers.map(() => 202));
    };
    for (let n = 0; n < 3; n++) {
      const divided = { ...later, shards: 9, clientRequestId: `divided-${n}` };
      await atOnce('/tasks', divided);
      await atOnce('/tasks/batch', { items: [{ ...divided, clientRequestId: `item-${n}` }] });
      await atOnce(`/jobs/${job.id}/trigger`, { clientRequestId: `run-${n}` });
      await atOnce('/events', { clientRequestId: `event-${n}`, name: 'at-once' });
    }
    // Nine for what was made, and one for each repetition.
    const paid = 3 * 4 * (9 + 5);
    expect(await post('/tasks', later)).toEqual([202, null, 1_000 - paid - 1]);
  });

  it('pays in a batch for the shards of what may be created only, so that a bad item keeps no other from its turn', async () => {
    const { key } = await appWith({ tasksPerSecond: 0.001, taskBurst: 40 });
    const post = posting(key);
    const later = { handler: 'echo', delayMs: 3_600_000 };
    const refused = [
      { ...later, shards: 30, priority: 99, clientRequestId: 'bad' },
      { ...later, shards: 30, requireHandler: true, clientRequestId: 'nobody-has-it' },
      { ...later, shards: 30 },
    ];
    expect(await post('/tasks/batch', { items: [...refused, { ...later, clientRequestId: 'good' }] })).toEqual([202, null, 36]);
    const divided = { ...later, shards: 10, clientRequestId: 'ten' };
    expect(await post('/tasks/batch', { items: [...refused, divided] })).toEqual([202, null, 23]);
    expect(await post('/tasks/batch', { items: [{ ...divided, requireHandler: true }, divided] })).toEqual([202, null, 21]);
  });

  it('may submit what is divided into more shards than it may create tasks at once, when it has created none', async () => {
    const { key } = await appWith({ tasksPerSecond: 0.001, taskBurst: 5 });
    const post = posting(key);
    const wide = { handler: 'echo', delayMs: 3_600_000, shards: 1_000 };
    expect(await post('/tasks/batch', { items: [{ ...wide, clientRequestId: 'a' }] })).toEqual([202, null, 0]);
    expect(await post('/tasks', wide)).toEqual([429, 'rate_limited', 0]);
    const items = Array.from({ length: 6 }, (_, n) => ({ handler: 'echo', clientRequestId: `n-${n}` }));
    expect(await post('/tasks/batch', { items })).toEqual([400, 'batch_too_large', null]);
  });
});
