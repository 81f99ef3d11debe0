import type { EvenkeelClient } from '@evenkeel/sdk/client';
import { Installation } from '../support/installation.js';
import { ADAPTERS } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE = 60_000;

describe.each(ADAPTERS)('histories and backfills over the API (%s)', (adapter) => {
  let installation: Installation;
  let client: EvenkeelClient;
  beforeAll(async () => {
    installation = await Installation.create(adapter);
    await installation.startNode('n1', { DEFAULT_TIMEZONE: 'Asia/Kathmandu', TZ: 'America/New_York' });
    await installation.startWorker({ id: 'w1', slots: 10 });
    client = installation.client(undefined, 5_000);
  }, 120_000);
  afterAll(() => installation?.remove());

  const manual = { handler: 'echo', schedule: { kind: 'manual' } } as const;

  it('a cron job that names no zone gets the one of the installation, whatever zone the process is in', async () => {
    const cron = { kind: 'cron', expression: '0 8 * * *' } as const;
    const { id } = await client.createJob({ key: 'zoneless', handler: 'noop', schedule: cron });
    expect(await client.getJob(id)).toMatchObject({ timeZone: 'Asia/Kathmandu', schedule: { timeZone: 'Asia/Kathmandu' } });
    const { fires } = await client.nextFires(id, 1);
    expect(fires[0]).toMatch(/T02:15:00.000Z$/);
    await client.deleteJob(id);
  });

  it('shows every definition, digit for digit, and restores one', async () => {
    const { id } = await client.createJob({ ...manual, key: 'kept', params: { n: 1 }, priority: 7 });
    await client.changeJob(id, { ...manual, version: 1, params: { n: 2 } });
    const { items } = await client.jobVersions(id);
    expect(items).toMatchObject([
      { version: 2, params: { n: 2 }, priority: null },
      { version: 1, params: { n: 1 }, priority: 7, changedBy: expect.stringMatching(/^app:app_/) },
    ]);
    expect(await client.restoreJob(id, { version: 2, restore: 1 })).toMatchObject({ version: 3, params: { n: 1 }, priority: 7 });
    await expect(client.restoreJob(id, { version: 2, restore: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
      problem: { statedVersion: 2, currentVersion: 3 },
    });
    await expect(client.restoreJob(id, { version: 3, restore: 9 })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(client.jobVersions('job_00000000000000000000000000')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('makes up for a span: a dry run first, then one task per fire, beside the schedule', async () => {
    const schedule = { kind: 'every', everyMs: MINUTE } as const;
    const { id } = await client.createJob({ key: 'filled', handler: 'echo', schedule });
    const until = Math.floor(Date.now() / MINUTE) * MINUTE;
    const span = { from: new Date(until - 30 * MINUTE).toISOString(), until: new Date(until).toISOString() };
    const dry = await client.backfillJob(id, { ...span, dryRun: true });
    expect(dry).toMatchObject({ backfill: null, count: 30 });
    expect(dry.fires).toHaveLength(30);
    const request = { ...span, maxParallel: 4, clientRequestId: 'fill' };
    const { backfill } = await client.backfillJob(id, request);
    expect(backfill).toMatchObject({ state: 'running', fires: 30, priority: 1, maxParallel: 4 });
    expect((await client.backfillJob(id, request)).backfill?.id).toBe(backfill?.id);
    await expect(client.backfillJob(id, { ...request, maxParallel: 5 })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    await waitFor('it is done', async () => (await client.backfills(id)).items.every(({ state }) => state === 'done'), 60_000);
    const done = await waitFor(
      'all its tasks have run',
      async () => {
        const tasks = (await client.list({ jobId: id, limit: 100 })).items.filter(
          ({ scheduledAt }) => Date.parse(scheduledAt) < until,
        );
        return tasks.length === 30 && tasks.every(({ status }) => status === 'SUCCEEDED') ? tasks : null;
      },
      60_000,
    );
    expect(done.map(({ scheduledAt }) => scheduledAt).sort()).toEqual(dry.fires);
    await expect(client.backfillJob(id, { from: span.from, until: span.from })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  }, 150_000);
});
