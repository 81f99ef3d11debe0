import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { GroupsService } from '../../src/jobs/groups.service.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('events that partners send (%s)', (adapter) => {
  let installation: Installation;
  let context: INestApplicationContext;
  let neighbour: EvenkeelClient;
  let client: EvenkeelClient;
  beforeAll(async () => {
    installation = await Installation.create(adapter, ['default', 'shared', 'full']);
    context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), { logger: false });
    const { url } = await installation.startNode('n1');
    client = installation.client(undefined, 0);
    const { id } = await context.get(AppsService).create({ name: 'neighbour', defaultGroup: 'shared' });
    const key = await context.get(AccessKeysService).create({ kind: 'partner', appId: id, label: 'x' });
    neighbour = createClient({ url, accessKey: key.accessKey, secretKey: key.secret, retryForMs: 0 });
  }, 120_000);
  afterAll(async () => {
    neighbour?.close();
    await context?.close();
    await installation?.remove();
  });

  const listener = (who: EvenkeelClient, key: string, group: string, schedule: object) =>
    who.createJob({ key, group, handler: 'echo', schedule: { kind: 'event', name: key, ...schedule } });
  const tasksOf = async (who: EvenkeelClient, jobId: string) => (await who.list({ jobId })).items.map(({ id }) => id);

  it('fire the jobs of other apps in a shared group, and name the tasks of their own app alone', async () => {
    const theirs = await listener(neighbour, 'theirs', 'shared', { name: 'moved' });
    const ours = await listener(client, 'ours', 'shared', { name: 'moved' });
    const receipt = await client.sendEvent('moved', null, { clientRequestId: 'moved-1' });
    expect(await tasksOf(neighbour, theirs.id)).toHaveLength(1);
    expect(receipt.taskIds).toEqual(await tasksOf(client, ours.id));
    expect(receipt.taskIds).toHaveLength(1);
    expect(await client.sendEvent('moved', null, { clientRequestId: 'moved-1' })).toEqual(receipt);
  });

  it('are refused as a whole when a group they reach is full, and sent by the same id once it has room', async () => {
    const groups = context.get(GroupsService);
    const beside = await listener(client, 'beside', 'default', { name: 'paid' });
    const within = await listener(client, 'within', 'full', { name: 'paid' });
    await listener(client, 'unrelated', 'default', { name: 'other' });
    await listener(client, 'over', 'full', { name: 'other', startAt: '2999-01-01T00:00:00Z' });
    const sent = await client.sendEvent('paid', null, { clientRequestId: 'paid-1' });
    await groups.update('full', null, { maxPending: 1 });
    const refusal = await waitFor('the backlog was counted', () =>
      client.sendEvent('paid').then(
        () => null,
        (error) => error,
      ),
    );
    const before = [await tasksOf(client, beside.id), await tasksOf(client, within.id)];
    await expect(client.sendEvent('paid', null, { clientRequestId: 'paid-3' })).rejects.toMatchObject({
      code: 'backlog_full',
      status: 429,
    });
    expect(refusal).toMatchObject({ code: 'backlog_full', status: 429 });
    expect([await tasksOf(client, beside.id), await tasksOf(client, within.id)]).toEqual(before);
    expect(await client.sendEvent('paid', null, { clientRequestId: 'paid-1' })).toEqual(sent);
    expect((await client.sendEvent('other', null)).taskIds).toHaveLength(1);
    await groups.update('full', null, { maxPending: 1000 });
    const later = await waitFor('there is room', () =>
      client.sendEvent('paid', 'changed', { clientRequestId: 'paid-3' }).catch(() => null),
    );
    expect(later.taskIds).toHaveLength(2);
  }, 60_000);
});
