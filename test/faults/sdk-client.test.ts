import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import { Webhook } from 'standardwebhooks';
import { Installation } from '../support/installation.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('the client of the SDK with a real centre, %s', (adapter) => {
  let installation: Installation;
  let receiver: Receiver;
  let client: EvenkeelClient;

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    receiver = await Receiver.listen();
    await installation.startNode('n1', LOOPBACK_CALLBACKS);
    await installation.startWorker({ id: 'w1' });
    client = installation.client();
  }, 120_000);
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
  });

  it('runs a task within one request, and is given a receipt for what takes longer', async () => {
    const quick = await client.runNow('echo', { hello: 'world' });
    expect(quick).toMatchObject({ ended: true, task: { status: 'SUCCEEDED', result: { hello: 'world' } } });
    const failed = await client.runNow('fail', { retryable: false });
    expect(failed).toMatchObject({ ended: true, task: { status: 'FAILED' } });
    const slow = await client.runNow('sleep', { ms: 3_500 });
    if (slow.ended) throw new Error('it slept too short');
    expect(await client.wait(slow.receipt, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED' });
    await expect(client.runNow('echo', null, { expectedDurationMs: 5_000 })).rejects.toMatchObject({ code: 'use_async' });
  });

  it('finds, cancels and retries tasks, and reads their logs', async () => {
    const waiting = await client.submit('echo', 1, { delayMs: 3_600_000 });
    expect(await client.cancel(waiting.id)).toMatchObject({ status: 'CANCELLED' });
    expect((await client.list({ status: 'CANCELLED' })).items).toMatchObject([{ id: waiting.id }]);
    await client.retry(waiting.id);
    expect(await client.wait(waiting.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'SUCCEEDED', result: 1 });
    const page = await client.logs(waiting.id);
    expect(page).toEqual({ items: expect.any(Array), nextCursor: null });
    await expect(client.get('task_01JGEXAMPLE0000000000000000')).rejects.toMatchObject({ code: 'task_not_found' });
  });

  it('keeps jobs from their creation to their end, and fires them by hand and by event', async () => {
    const { id } = await client.createJob({ key: 'job', handler: 'echo', schedule: { kind: 'event', name: 'order.paid' } });
    const job = await client.getJob(id);
    expect((await client.listJobs({ key: 'job' })).items).toMatchObject([{ id }]);
    const { taskIds } = await client.sendEvent('order.paid', { order: 7 });
    expect(taskIds).toHaveLength(1);
    await client.wait(taskIds[0] as string, { timeoutMs: 30_000 });
    const run = await client.triggerJob(id, { params: 'by hand' });
    expect(await client.wait(run.id, { timeoutMs: 30_000 })).toMatchObject({ jobId: id, result: 'by hand' });
    expect((await client.list({ jobId: id, status: 'SUCCEEDED' })).items).toHaveLength(2);
    expect(await client.pauseJob(id, 'holiday')).toMatchObject({ state: 'paused' });
    expect(await client.resumeJob(id)).toMatchObject({ state: 'active' });
    expect((await client.jobVersions(id)).items.length).toBeGreaterThanOrEqual(1);
    expect(await client.nextFires(id)).toMatchObject({ fires: [] });
    expect((await client.backfills(id)).items).toEqual([]);
    expect(job.id).toBe(id);
    await client.deleteJob(id);
    await expect(client.getJob(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('registers an endpoint, follows its deliveries, and has them sent again', async () => {
    const { webhooks } = client;
    const { id, secret } = await webhooks.createEndpoint({ url: receiver.url('/sdk'), eventTypes: ['task.failed'] });
    await waitFor('it is enabled', async () => (await webhooks.getEndpoint(id)).state === 'ENABLED');
    expect(await webhooks.listEndpoints()).toMatchObject([{ id, eventTypes: ['task.failed'] }]);
    expect(await webhooks.subscribe(id, ['task.succeeded'])).toMatchObject({ eventTypes: ['task.succeeded'] });
    const { id: taskId } = await client.submit('echo', 1);
    const told = await waitFor('it is told', () => receiver.ofTask(taskId)[0]);
    new Webhook(secret).verify(told.body, told.headers as Record<string, string>);
    const delivery = await waitFor('it is in the log', async () => {
      return (await webhooks.deliveries({ taskId, status: 'SUCCEEDED' })).items[0];
    });
    await webhooks.redeliver(delivery.id);
    await waitFor('both attempts are in the log', async () => (await webhooks.getDelivery(delivery.id)).log.length === 2);
    const { deliveryId } = await webhooks.test(id);
    expect(await webhooks.getDelivery(deliveryId)).toMatchObject({ eventType: 'webhook.ping', endpointId: id });
    const rotated = await webhooks.rotateSecret(id, { graceSeconds: 0 });
    expect(rotated.secret).not.toBe(secret);
    expect(await webhooks.recover(id, '2026-01-01T00:00:00Z')).toBe(0);
    expect(await webhooks.disable(id)).toMatchObject({ state: 'DISABLED' });
    expect(await webhooks.enable(id)).toMatchObject({ state: 'ENABLED' });
    await webhooks.deleteEndpoint(id);
    await expect(webhooks.getEndpoint(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(() => webhooks.getDelivery('../me')).toThrow(TypeError);
  });

  it('knows who it is, and says what a wrong secret comes to', async () => {
    const me = await client.me();
    expect(me).toMatchObject({
      app: { name: 'test' },
      limits: { pendingCallbacks: 100_000 },
      callbacks: { pending: expect.any(Number) },
    });
    const url = installation.nodes[0]?.url as string;
    const stranger = createClient({ url, accessKey: me.accessKey, secretKey: 'sk_live_wrong' });
    await expect(stranger.me()).rejects.toMatchObject({ code: 'auth_failed', status: 401 });
    stranger.close();
  });
});
