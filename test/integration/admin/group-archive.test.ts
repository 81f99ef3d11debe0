import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import { GroupsService } from '../../../src/jobs/groups.service.js';
import { equipped } from '../../browser/support/equipped.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ScriptedWorker } from '../../support/scripted-worker.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

const GROUPS = ['busy', 'kept', 'closing', 'elsewhere', 'raced', 'shown'];
const REFUSED = { status: 409, code: 'state_conflict' };

describe.each(ADAPTERS)('a group that is archived (%s)', (adapter) => {
  let world: ConsoleWorld;
  let second: ConsoleWorld | undefined;
  let admin: Browser;
  let client: EvenkeelClient;
  let worker: ScriptedWorker;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter, []);
    admin = await world.signIn();
    const { app, worker: workerKey } = await equipped(admin, GROUPS);
    client = createClient({ url: world.url, accessKey: app.accessKey, secretKey: app.secret, retryForMs: 0 });
    worker = await ScriptedWorker.register({ groups: ['closing'], workerKey, nodes: [world] }, { id: 'closer' });
  }, 120_000);
  afterAll(async () => {
    client?.close();
    await worker?.vanish();
    for (const { app } of [...(second ? [second] : []), ...(world ? [world] : [])]) app.getHttpServer().closeAllConnections();
    await second?.stop();
    await world?.stop();
  });

  const job = (key: string, group: string) =>
    admin.post('/api/jobs', { key, group, handler: 'noop', schedule: { kind: 'every', everyMs: 3_600_000 } });
  const archive = (group: string, reason?: string) => admin.post(`/api/groups/${group}/archive`, { reason });
  const keys = async (query = '') =>
    (await admin.get(`/api/groups${query}`)).json.items.map(({ key }: { key: string }) => key) as string[];

  it('has no jobs: one that has is refused with their number, paused ones included', async () => {
    const [first, paused] = [(await job('first', 'busy')).json, (await job('second', 'busy')).json];
    await admin.post(`/api/jobs/${paused.id}/pause`, {});
    const refused = await archive('busy');
    expect(refused.json).toMatchObject({ ...REFUSED, jobs: 2 });
    expect(refused.json.detail).toContain('2 jobs');
    await admin.call('DELETE', `/api/jobs/${first.id}`);
    expect((await archive('busy')).json).toMatchObject({ ...REFUSED, jobs: 1 });
    expect((await admin.get('/api/groups/busy')).json.archivedAt).toBeNull();
    await admin.call('DELETE', `/api/jobs/${paused.id}`);
    const archived = await archive('busy', 'merged into kept');
    expect(archived.json).toMatchObject({ key: 'busy', archivedAt: expect.any(String) });
    const [entry] = (await admin.get('/api/audit?objectType=group&objectId=busy')).json.items;
    expect(entry).toMatchObject({
      id: archived.headers.get('audit-id'),
      action: 'group.archived',
      group: 'busy',
      reason: 'merged into kept',
      before: { archivedAt: null },
      after: { archivedAt: archived.json.archivedAt },
    });
    expect((await archive('busy')).json).toMatchObject(REFUSED);
    expect((await archive('nowhere')).status).toBe(404);
  });

  it('is in lists only when they are asked for it, and read by its key', async () => {
    await archive('shown');
    expect(await keys()).not.toContain('shown');
    expect(await keys()).toContain('kept');
    expect(await keys('?archived=true')).toEqual(expect.arrayContaining(['kept', 'shown']));
    expect((await admin.get('/api/groups?archived=maybe')).json.errors[0].pointer).toBe('/query/archived');
    expect((await admin.get('/api/groups/shown')).json.key).toBe('shown');
    const overview = (await admin.get('/api/overview')).json.groups.map(({ key }: { key: string }) => key);
    expect(overview).toContain('kept');
    expect(overview).not.toContain('shown');
  });

  it('takes no new work from anybody, still answers what was asked before, and ends what it has accepted', async () => {
    const inGroup = { group: 'closing' };
    const failed = (await client.submit('noop', {}, { ...inGroup, retry: { kind: 'none' } })).id;
    await waitFor('it runs', () => worker.running.has(failed));
    await worker.end(failed, { outcome: 'failed', error: { name: 'Error', message: 'no' } });
    await waitFor('it has failed', async () => (await client.get(failed)).status === 'FAILED');
    const kept = await job('to-copy', 'kept');
    const running = (await client.submit('noop', {}, inGroup)).id;
    await waitFor('it runs', () => worker.running.has(running));
    const first = await client.submit('noop', {}, { ...inGroup, delayMs: 3_600_000, clientRequestId: 'once' });
    await admin.post('/api/groups/closing/hold', { reason: 'so that it waits' });
    const waiting = (await client.submit('noop', {}, inGroup)).id;

    expect((await archive('closing')).status).toBe(200);
    const refusal = { code: 'state_conflict', status: 409 };
    await expect(client.submit('noop', {}, inGroup)).rejects.toMatchObject(refusal);
    await expect(client.submit('noop', {}, { ...inGroup, dependsOn: [running] })).rejects.toMatchObject(refusal);
    await expect(client.runNow('noop', {}, inGroup)).rejects.toMatchObject(refusal);
    await expect(client.retry(failed)).rejects.toMatchObject(refusal);
    const schedule = { kind: 'manual' } as const;
    await expect(client.createJob({ key: 'p', handler: 'noop', ...inGroup, schedule })).rejects.toMatchObject(refusal);
    const { results } = await client.submitBatch([
      { handler: 'noop', clientRequestId: 'b-1', ...inGroup },
      { handler: 'noop', clientRequestId: 'b-2', group: 'kept' },
    ]);
    expect(results).toMatchObject([
      { outcome: 'rejected', error: { code: 'state_conflict', detail: expect.stringContaining('closing') } },
      { outcome: 'accepted' },
    ]);
    const replayed = await client.submit('noop', {}, { ...inGroup, delayMs: 3_600_000, clientRequestId: 'once' });
    expect(replayed).toEqual(first);

    expect((await job('console', 'closing')).json).toMatchObject({ ...REFUSED, group: 'closing' });
    const copy = { key: 'copied', group: 'closing' };
    expect((await admin.post(`/api/jobs/${kept.json.id}/copy`, copy)).json).toMatchObject(REFUSED);
    const move = { kind: 'jobs.move', filter: { ids: [kept.json.id] }, change: { group: 'closing' } };
    expect((await admin.post('/api/bulk/preview', move)).json).toMatchObject(REFUSED);
    expect((await admin.post(`/api/tasks/${failed}/retry`, {})).json).toMatchObject(REFUSED);
    expect((await admin.post(`/api/tasks/${failed}/run-again`, {})).json).toMatchObject(REFUSED);
    const exported = JSON.parse((await admin.get(`/api/export?job=${kept.json.id}`)).text);
    for (const one of exported.jobs) Object.assign(one, { group: 'closing', key: 'imported' });
    const imported = (await admin.post('/api/import', { fileText: JSON.stringify(exported), dryRun: true })).json;
    expect(imported.errors).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'archived' })]));
    expect((await admin.get('/api/jobs?group=closing')).json.items).toEqual([]);

    await admin.post('/api/groups/closing/release', {});
    await waitFor('what waited is started', () => worker.running.has(waiting));
    for (const id of [running, waiting]) {
      await worker.end(id);
      await waitFor('it has ended', async () => (await client.get(id)).status === 'SUCCEEDED');
    }

    expect((await admin.post('/api/groups/closing/unarchive', { reason: 'needed again' })).json.archivedAt).toBeNull();
    expect((await admin.post('/api/groups/closing/unarchive', {})).json).toMatchObject(REFUSED);
    const [entry] = (await admin.get('/api/audit?objectType=group&objectId=closing')).json.items;
    expect(entry).toMatchObject({ action: 'group.unarchived', reason: 'needed again' });
    const again = (await client.submit('noop', {}, inGroup)).id;
    await waitFor('it runs', () => worker.running.has(again));
    expect((await admin.post(`/api/tasks/${failed}/retry`, {})).status).toBe(200);
  }, 60_000);

  it('never has a job, however an archive and those who bring it one meet', async () => {
    for (let round = 0; round < 8; round++) {
      const moved = (await job(`moved-${round}`, 'elsewhere')).json.id as string;
      const move = { kind: 'jobs.move', filter: { ids: [moved] }, change: { group: 'raced' }, reason: 'race' };
      const bulk = admin.post('/api/bulk', move);
      const made = [0, 1, 2].map((n) => job(`made-${round}-${n}`, 'raced'));
      const archived = [archive('raced'), archive('raced')];
      await Promise.all([bulk, ...made]);
      const won = (await Promise.all(archived)).filter(({ status }) => status === 200);
      expect(won.length).toBeLessThan(2);
      const { id } = (await bulk).json;
      if (id) await waitFor('the move has ended', async () => (await admin.get(`/api/bulk/${id}`)).json.endedAt);
      const { archivedAt, jobs } = (await admin.get('/api/groups/raced')).json;
      const inside = (await admin.get('/api/jobs?group=raced')).json.items as { id: string }[];
      expect(jobs).toBe(inside.length);
      if (archivedAt !== null) expect(inside).toEqual([]);
      expect(archivedAt !== null).toBe(won.length === 1);
      for (const one of inside) await admin.call('DELETE', `/api/jobs/${one.id}`);
      if (archivedAt !== null) await admin.post('/api/groups/raced/unarchive', {});
    }
  }, 60_000);

  it('is archived by who may edit it, and by nobody else', async () => {
    const operator = await world.person(`operator-${adapter}`, 'operator');
    expect((await operator.post('/api/groups/kept/archive', {})).json).toMatchObject({
      status: 403,
      code: 'permission_denied',
      permission: 'groups.edit',
    });
    expect((await operator.post('/api/groups/busy/unarchive', {})).status).toBe(403);
    const owner = await world.person(`owner-${adapter}`, 'none', { elsewhere: 'admin' });
    const left = (await admin.get('/api/jobs?group=elsewhere')).json.items as { id: string }[];
    for (const { id } of left) await admin.call('DELETE', `/api/jobs/${id}`);
    expect((await owner.post('/api/groups/elsewhere/archive', {})).status).toBe(200);
    expect((await owner.post('/api/groups/busy/unarchive', {})).status).toBe(404);
  });

  if (adapter === 'cluster')
    it('is so on every node, in what needs no signal by the row', async () => {
      second = await world.another();
      const { app } = await equipped(admin, ['everywhere']);
      const other = createClient({ url: second.url, accessKey: app.accessKey, secretKey: app.secret, retryForMs: 0 });
      const there = second.app.get(GroupsService);
      await waitFor('the second node knows the group', () => there.byKey('everywhere'));
      await archive('everywhere');
      const schedule = { kind: 'manual' } as const;
      const stale = other.createJob({ key: 'p', handler: 'noop', group: 'everywhere', schedule });
      await expect(stale).rejects.toMatchObject({ code: 'state_conflict' });
      await waitFor('the second node knows it', () => there.byKey('everywhere')?.archivedAt !== null);
      await expect(other.submit('noop', {}, { group: 'everywhere' })).rejects.toMatchObject({ code: 'state_conflict' });
      other.close();
    }, 60_000);
});
