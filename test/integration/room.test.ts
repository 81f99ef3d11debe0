import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('an app that has as many unfinished tasks as it may (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  beforeAll(async () => {
    installation = await Installation.create(adapter);
    const { url } = await installation.startNode('n1');
    const context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), {
      logger: false,
    });
    const { id } = await context
      .get(AppsService)
      .create({ name: 'small', defaultGroup: 'default', limits: { unfinishedTasks: 4 } });
    const { accessKey, secret } = await context.get(AccessKeysService).create({ kind: 'partner', appId: id, label: 'x' });
    await context.close();
    client = createClient({ url, accessKey, secretKey: secret, retryForMs: 0 });
  }, 120_000);
  afterAll(async () => {
    client?.close();
    await installation?.remove();
  });

  it('is refused whatever would make another, and answered what it repeats', async () => {
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
});
