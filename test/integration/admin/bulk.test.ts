import { BulkStore } from '../../../src/admin/bulk/bulk.store.js';
import { SqlDialect } from '../../../src/ports.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';
import { type SeededTask, seedTasks } from './support/many-tasks.js';

describe.each(ADAPTERS)('bulk operations (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let seeded: SeededTask[];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    seeded = await seedTasks(world, 220);
  }, 60_000);
  afterAll(() => world?.stop());

  const ended = (id: string) =>
    waitFor('the operation has ended', async () => {
      const { json } = await admin.get(`/api/bulk/${id}`);
      return json.endedAt === null ? null : json;
    });

  it('says first what it would do, then does it to what was there, and says what became of each', async () => {
    const filter = { group: ['own'], state: ['PENDING', 'SUCCEEDED'] };
    const fits = seeded.filter(({ group, state }) => group === 'own' && state === 'PENDING');
    const preview = (await admin.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json;
    expect(preview).toMatchObject({ eligible: { count: fits.length, capped: false }, notAllowed: 0, frozen: { group: ['own'] } });
    expect(preview.skipped.SUCCEEDED).toBe(seeded.filter(({ group, state }) => group === 'own' && state === 'SUCCEEDED').length);
    expect((await admin.post('/api/bulk', { kind: 'tasks.cancel', filter })).json.errors[0].pointer).toBe('/reason');
    const started = await admin.post('/api/bulk', { kind: 'tasks.cancel', filter, reason: 'wrong input' });
    expect(started.status).toBe(201);
    const later = await seedTasks(world, 22, { app: 77 });
    const view = await ended(started.json.id);
    expect(view).toMatchObject({
      state: 'done',
      done: fits.length,
      skipped: 0,
      failed: 0,
      by: 'user:admin',
      reason: 'wrong input',
    });
    const items = (await admin.get(`/api/bulk/${view.id}/items?limit=200`)).json.items.map(({ id }: { id: string }) => id);
    expect(items).toEqual(fits.map(({ id }) => id).reverse());
    for (const { id } of fits)
      expect((await admin.get(`/api/tasks/${id}`)).json).toMatchObject({ state: 'CANCELLED', reason: 'cancelled_by_operator' });
    const untouched = later.find(({ group, state }) => group === 'own' && state === 'PENDING') as SeededTask;
    expect((await admin.get(`/api/tasks/${untouched.id}`)).json.state).toBe('PENDING');
    const log = (await admin.get(`/api/audit?bulk=${view.id}&limit=200`)).json.items;
    expect(log.filter(({ action }: { action: string }) => action === 'task.cancelled')).toHaveLength(fits.length);
    expect(log.filter(({ action }: { action: string }) => action === 'bulk.started')).toHaveLength(1);
  });

  it('acts on no more than a list of the same filters shows, whichever filter it is', async () => {
    const [first] = seeded as [SeededTask];
    const shown = async (query: string) => (await admin.get(`/api/tasks/counts?${query}`)).json.total.count;
    const meant = async (filter: object) =>
      (await admin.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json.eligible.count;
    const all = await meant({ state: ['PENDING'] });
    expect(all).toBeGreaterThan(1);
    const ended = new Date(Date.now() - 3_600_000).toISOString();
    for (const [filter, query] of [
      [{ trigger: 'manual' }, 'trigger=manual'],
      [{ trigger: 'api' }, 'trigger=api'],
      [{ parentId: first.id }, `parentId=${first.id}`],
      [{ flowId: first.id }, `flowId=${first.id}`],
      [{ late: true }, 'late=true'],
      [{ endedFrom: ended }, `endedFrom=${ended}`],
    ] as const)
      expect([filter, await meant({ state: ['PENDING'], ...filter })]).toEqual([filter, await shown(`state=PENDING&${query}`)]);
    const wrong = await admin.post('/api/bulk/preview', { kind: 'jobs.pause', filter: { trigger: 'api', late: false } });
    expect(wrong.json.errors).toMatchObject([{ pointer: '/filter/late' }]);
  });

  it('acts on nothing twice when a node died between acting and counting', async () => {
    const fits = seeded.filter(({ state }) => state === 'RETRYING').map(({ id }) => id);
    const id = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter: { state: ['RETRYING'] }, reason: 'r' })).json.id;
    await ended(id);
    // As a node leaves it that is killed after its first transactions: nothing counted, the cursor where it was, claimed.
    const { root } = world.app.get(SqlDialect);
    await root.run(
      "UPDATE bulk_operations SET bulk_state = 'running', cursor_id = NULL, done_count = 0, ended_at = NULL, claimed_by = 'dead', claimed_until = 0 WHERE id = ?",
      [id],
    );
    for (const task of fits) await root.run('UPDATE tasks SET state = 6, ended_at = NULL WHERE id = ?', [task]);
    expect(await ended(id)).toMatchObject({ state: 'done', done: fits.length });
    for (const task of fits) expect((await admin.get(`/api/tasks/${task}`)).json.state).toBe('RETRYING');
  });

  it('leaves alone what another node works on', async () => {
    const store = world.app.get(BulkStore, { strict: false });
    const { root } = world.app.get(SqlDialect);
    const id = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter: { ids: [] }, reason: 'r' })).json.id;
    await ended(id);
    await root.run("UPDATE bulk_operations SET bulk_state = 'running', claimed_by = 'n1', claimed_until = 100 WHERE id = ?", [
      id,
    ]);
    expect(await store.claim(root, id, 'n2', 50, 1_000)).toBe(false);
    expect(await store.claim(root, id, 'n1', 50, 50)).toBe(true);
    expect(await store.claim(root, id, 'n2', 101, 1_000)).toBe(true);
    await root.run("UPDATE bulk_operations SET bulk_state = 'done' WHERE id = ?", [id]);
  });

  it('stops when it is aborted', async () => {
    const id = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter: { state: ['BLOCKED'] }, reason: 'r' })).json.id;
    const aborted = await admin.post(`/api/bulk/${id}/abort`);
    if (aborted.status === 200) {
      expect(aborted.json).toMatchObject({ state: 'aborted', endedAt: expect.any(String) });
      expect((await admin.post(`/api/bulk/${id}/resume`)).json).toMatchObject({ code: 'state_conflict' });
    } else expect(aborted.json).toMatchObject({ code: 'state_conflict' });
  });

  it('pauses, resumes and runs jobs, and runs each once', async () => {
    const make = (key: string) =>
      admin.post('/api/jobs', {
        key,
        group: 'own',
        handler: 'noop',
        owner: 'bulk',
        schedule: { kind: 'manual' },
        overlap: 'allow',
        maxParallel: 9,
      });
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await make(`bulk-${n}`)).json.id);
    const bulk = async (kind: string) =>
      ended((await admin.post('/api/bulk', { kind, filter: { owner: 'bulk' }, reason: 'window' })).json.id);
    expect(await bulk('jobs.pause')).toMatchObject({ done: 3 });
    for (const id of ids)
      expect((await admin.get(`/api/jobs/${id}`)).json).toMatchObject({ state: 'paused', pauseReason: 'window' });
    expect(await bulk('jobs.pause')).toMatchObject({ done: 0 });
    expect(await bulk('jobs.resume')).toMatchObject({ done: 3 });
    expect(await bulk('jobs.run')).toMatchObject({ done: 3 });
    for (const id of ids) expect((await admin.get(`/api/jobs/${id}`)).json.recent).toHaveLength(1);
  });

  it('acts only in groups where one may, and ignores no filter', async () => {
    const bob = await world.person(`bob-${adapter}`, 'viewer', { own: 'operator' });
    const filter = { state: ['SCHEDULED'] };
    const hidden = (key: string) => seeded.filter(({ group, state }) => group === key && state === 'SCHEDULED').length;
    const preview = (await bob.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json;
    expect(preview).toMatchObject({ eligible: { capped: false }, frozen: { group: ['own'] } });
    expect(preview.notAllowed).toBeGreaterThanOrEqual(hidden('other'));
    const refused = await bob.post('/api/bulk/preview', { kind: 'tasks.cancel', filter: { owner: 'x' } });
    expect(refused.json.errors[0].pointer).toBe('/filter/owner');
    expect((await bob.post('/api/bulk/preview', { kind: 'tasks.cancel', filter: { colour: 'x' } })).json.errors[0].pointer).toBe(
      '/filter/colour',
    );
    const view = await ended((await bob.post('/api/bulk', { kind: 'tasks.cancel', filter, reason: 'r' })).json.id);
    expect(view.by).toBe(`user:bob-${adapter}`);
    const others = seeded.filter(({ group, state }) => group === 'other' && state === 'SCHEDULED');
    for (const { id } of others) expect((await admin.get(`/api/tasks/${id}`)).json.state).not.toBe('CANCELLED');
  });
});
