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

  it('pays for each task that it makes: of an event for all it fires, and for a retry as for a submission', async () => {
    const { client, key } = await appWith({ tasksPerSecond: 0.001, taskBurst: 6 });
    const post = async (target: string, body?: object) => {
      const answer = await signedRequest(url, key, 'POST', `/openapi/v1${target}`, body);
      const left = /"tasks";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
      return [answer.status, answer.body.code ?? null, left === undefined ? null : Number(left)];
    };
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
});
