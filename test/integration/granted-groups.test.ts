import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { createClient } from '@evenkeel/sdk/client';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessKeysService } from '../../src/auth/access-keys.service.js';
import { AppsService } from '../../src/auth/apps.service.js';
import { AdminModule } from '../../src/cli/admin.module.js';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

const manual = { handler: 'echo', schedule: { kind: 'manual' } } as const;

describe.each(ADAPTERS)('groups a partner may use (%s)', (adapter) => {
  let installation: Installation;
  let url: string;
  let narrowKey: { accessKey: string; secret: string };
  let context: INestApplicationContext;
  let client: EvenkeelClient;
  let narrow: EvenkeelClient;
  /** A job of each group, and a task of the second. */
  let mine: string;
  let theirs: string;
  let task: string;

  beforeAll(async () => {
    installation = await Installation.create(adapter, ['mine', 'theirs']);
    const node = await installation.startNode('n1', {
      CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
      CALLBACK_ALLOW_HTTP: 'true',
      CALLBACK_ALLOW_PORTS: '1-65535',
    });
    url = node.url;
    client = installation.client(undefined, 5_000);
    context = await NestFactory.createApplicationContext(AdminModule.forRoot(installation.database.config), { logger: false });
    narrowKey = await context
      .get(AccessKeysService)
      .create({ kind: 'partner', appId: installation.appId, label: 'narrow', groups: ['mine'] });
    narrow = createClient({ url, accessKey: narrowKey.accessKey, secretKey: narrowKey.secret, retryForMs: 5_000 });
    mine = (await client.createJob({ ...manual, key: 'mine' })).id;
    theirs = (await client.createJob({ ...manual, key: 'theirs', group: 'theirs' })).id;
    task = (await client.submit('echo', null, { group: 'theirs', delayMs: 3_600_000 })).id;
  }, 120_000);
  afterAll(async () => {
    narrow?.close();
    await context?.close();
    await installation?.remove();
  });

  const span = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

  it('hold for every call about a job: a narrowed key finds none of the others, and changes none', async () => {
    const calls: Record<string, () => Promise<unknown>> = {
      getJob: () => narrow.getJob(theirs),
      changeJob: () => narrow.changeJob(theirs, { ...manual, handler: 'noop', version: 1 }),
      triggerJob: () => narrow.triggerJob(theirs),
      pauseJob: () => narrow.pauseJob(theirs),
      resumeJob: () => narrow.resumeJob(theirs),
      nextFires: () => narrow.nextFires(theirs),
      jobVersions: () => narrow.jobVersions(theirs),
      restoreJob: () => narrow.restoreJob(theirs, { version: 1, restore: 1 }),
      backfillJob: () => narrow.backfillJob(theirs, span),
      backfills: () => narrow.backfills(theirs),
      deleteJob: () => narrow.deleteJob(theirs),
    };
    for (const [name, call] of Object.entries(calls))
      expect([name, await call().catch(({ code }) => code)]).toEqual([name, 'not_found']);
    expect(await client.getJob(theirs)).toMatchObject({ version: 1, state: 'active', handler: 'echo' });
    expect((await client.list({ jobId: theirs })).items).toEqual([]);
    expect((await narrow.triggerJob(mine)).jobId).toBe(mine);
  });

  it('hold for lists and for tasks', async () => {
    const keys = async (query = {}) => (await narrow.listJobs(query)).items.map(({ key }) => key);
    expect([await keys(), await keys({ group: 'theirs' }), await keys({ group: 'mine' })]).toEqual([['mine'], [], ['mine']]);
    expect((await narrow.list()).items.map(({ group }) => group)).not.toContain('theirs');
    await expect(narrow.cancel(task)).rejects.toMatchObject({ code: 'task_not_found' });
    await expect(narrow.retry(task)).rejects.toMatchObject({ code: 'task_not_found' });
    expect(await client.get(task)).toMatchObject({ status: 'SCHEDULED' });
  });

  it('hold for what a task or job is to wait for: what is in the others looks like none', async () => {
    const refused = (call: Promise<unknown>) =>
      call.then(
        () => 'taken',
        ({ problem }) => problem.errors,
      );
    const none = task.replace(/.{4}$/, '0000');
    const unknownTask = { pointer: '/dependsOn/0', code: 'unknown_task', message: 'is no task of this app' };
    for (const id of [task, none]) {
      expect(await refused(narrow.submit('echo', null, { dependsOn: [id] }))).toEqual([unknownTask]);
      const [result] = (await narrow.submitBatch([{ handler: 'echo', clientRequestId: `after-${id}`, dependsOn: [id] }])).results;
      expect(result).toMatchObject({ outcome: 'rejected', error: { errors: [{ pointer: '/items/0/dependsOn/0' }] } });
    }
    const waiting = { handler: 'echo', schedule: { kind: 'upstream' } } as const;
    const unknownJob = {
      pointer: '/upstreams/0',
      code: 'unknown_job',
      message: 'is no job of this app and group',
      rule: 'no_upstream',
    };
    for (const id of [theirs, theirs.replace(/.{4}$/, '0000')])
      expect(await refused(narrow.createJob({ ...waiting, key: 'after-theirs', upstreams: [id] }))).toEqual([unknownJob]);
    const both = await client.createJob({ ...waiting, key: 'after-both', upstreams: [theirs] });
    await narrow.changeJob(both.id, { ...waiting, version: 1, upstreams: [theirs, 'mine'] });
    await narrow.changeJob(both.id, { ...waiting, version: 2, upstreams: [mine] });
    expect(await refused(narrow.changeJob(both.id, { ...waiting, version: 3, upstreams: [theirs] }))).toEqual([unknownJob]);
    await client.deleteJob(both.id);
    const upstream = (await narrow.submit('echo', null, { delayMs: 3_600_000 })).id;
    expect((await narrow.submit('echo', null, { dependsOn: [upstream] })).status).toBe('BLOCKED');
  });

  it('hold for the log of callbacks', async () => {
    const told = async (group: string) => {
      const { id } = await client.submit('echo', null, { group, delayMs: 3_600_000, callbackUrl: 'http://127.0.0.1:9/' });
      await client.cancel(id);
      return id;
    };
    const ids = [await told('theirs'), await told('mine')];
    const deliveries = async (key: typeof narrowKey, query = '') =>
      (await signedRequest(url, key, 'GET', `/openapi/v1/webhook-deliveries${query}`)).body.items as {
        id: string;
        taskId: string;
      }[];
    const all = await deliveries(installation.appKey);
    expect(all.map(({ taskId }) => taskId).sort()).toEqual([...ids].sort());
    expect((await deliveries(narrowKey)).map(({ taskId }) => taskId)).toEqual([ids[1]]);
    expect(await deliveries(narrowKey, `?taskId=${ids[0]}`)).toEqual([]);
    for (const { id, taskId } of all) {
      const status = taskId === ids[1] ? [200, 202] : [404, 404];
      const looked = await signedRequest(url, narrowKey, 'GET', `/openapi/v1/webhook-deliveries/${id}`);
      const sent = await signedRequest(url, narrowKey, 'POST', `/openapi/v1/webhook-deliveries/${id}/redeliver`);
      expect([looked.status, sent.status]).toEqual(status);
    }
  });

  it('that were taken from an app: it sees and stops what it has there, and starts and changes nothing', async () => {
    const apps = context.get(AppsService);
    const app = (await apps.find(installation.appId))?.publicId as string;
    await apps.change(app, { groups: [] });
    context.get(AccessKeysService).appChanged();
    await waitFor('the node knows', async () => !(await client.me()).groups.includes('theirs'));
    const calls: Record<string, () => Promise<unknown>> = {
      changeJob: () => client.changeJob(theirs, { ...manual, handler: 'noop', version: 1 }),
      triggerJob: () => client.triggerJob(theirs),
      resumeJob: () => client.resumeJob(theirs),
      restoreJob: () => client.restoreJob(theirs, { version: 1, restore: 1 }),
      backfillJob: () => client.backfillJob(theirs, span),
      retry: () => client.retry(task),
    };
    for (const [name, call] of Object.entries(calls))
      expect([name, await call().catch(({ code }) => code)]).toEqual([name, 'insufficient_scope']);
    expect(await client.pauseJob(theirs)).toMatchObject({ state: 'paused', version: 1, handler: 'echo' });
    expect((await client.cancel(task)).status).toBe('CANCELLED');
    await client.deleteJob(theirs);
  });
});
