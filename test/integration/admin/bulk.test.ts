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
    const ids = seeded.filter(({ state }) => state === 'PENDING').map(({ id }) => id);
    expect(await meant({ ids })).toBeGreaterThan(0);
    const none = { parentId: first.id, flowId: first.id, clientRequestId: 'nobody' };
    for (const [name, value] of Object.entries(none)) expect([name, await meant({ ids, [name]: value })]).toEqual([name, 0]);
    const wrong = await admin.post('/api/bulk/preview', { kind: 'jobs.pause', filter: { trigger: 'api', late: false } });
    expect(wrong.json.errors).toMatchObject([{ pointer: '/filter/late' }]);
  });

  it('acts on what was there at the preview it follows, jobs too, and on no preview to come', async () => {
    const make = async (key: string): Promise<string> =>
      (await admin.post('/api/jobs', { key, group: 'own', handler: 'frozen', schedule: { kind: 'manual' } })).json.id;
    const there = await make('frozen-there');
    const asked = { kind: 'jobs.pause', filter: { group: ['own'], handler: 'frozen' } };
    const { eligible, frozen } = (await admin.post('/api/bulk/preview', asked)).json;
    expect(eligible.count).toBe(1);
    const later = await make('frozen-later');
    const { frozenAt, ...filter } = frozen;
    const stated = { ...asked, filter, reason: 'r' };
    for (const wrong of [new Date(Date.parse(frozenAt) + 3_600_000).toISOString(), 'yesterday', 1]) {
      const refused = await admin.post('/api/bulk', { ...stated, frozenAt: wrong });
      expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, '/frozenAt']);
    }
    const started = await admin.post('/api/bulk', { ...stated, frozenAt });
    expect(started.json).toMatchObject({ expected: { count: 1 }, filter: { frozenAt } });
    expect(await ended(started.json.id)).toMatchObject({ done: 1, skipped: 0, failed: 0 });
    const stateOf = async (id: string) => (await admin.get(`/api/jobs/${id}`)).json.state;
    expect([await stateOf(there), await stateOf(later)]).toEqual(['paused', 'active']);
  });

  it('acts on nothing twice when a node died between acting and counting', async () => {
    const fits = seeded.filter(({ state }) => state === 'RETRYING').map(({ id }) => id);
    const id = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter: { state: ['RETRYING'] }, reason: 'r' })).json.id;
    const { done } = await ended(id);
    // As a node leaves it that is killed after its first transactions: nothing counted, the cursor where it was, claimed.
    const { root } = world.app.get(SqlDialect);
    await root.run(
      "UPDATE bulk_operations SET bulk_state = 'running', cursor_id = NULL, done_count = 0, ended_at = NULL, claimed_by = 'dead', claimed_until = 0 WHERE id = ?",
      [id],
    );
    for (const task of fits) await root.run('UPDATE tasks SET state = 6, ended_at = NULL WHERE id = ?', [task]);
    // Those that fit no more, since they were cancelled, are counted too.
    expect(done).toBeGreaterThan(fits.length);
    expect(await ended(id)).toMatchObject({ state: 'done', done });
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

  it('does again what failed in an operation that has ended, shards too, and nothing else', async () => {
    const { root } = world.app.get(SqlDialect);
    const waiting = seeded.filter(({ state }) => state === 'RETRYING').slice(0, 4) as SeededTask[];
    const [first, second, third, shard] = waiting as [SeededTask, SeededTask, SeededTask, SeededTask];
    await root.run('UPDATE tasks SET parent_id = ?, shard_index = 0, shard_total = 1 WHERE id = ?', [third.id, shard.id]);
    const { id } = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter: { ids: [] }, reason: 'r' })).json;
    await ended(id);
    await world.app.get(BulkStore, { strict: false }).insertItems(root, id, [
      { itemId: first.id, outcome: 'failed', detail: 'x', actedAt: 1 },
      { itemId: second.id, outcome: 'skipped', detail: 'x', actedAt: 1 },
      { itemId: third.id, outcome: 'done', detail: null, actedAt: 1 },
      { itemId: shard.id, outcome: 'failed', detail: 'x', actedAt: 1 },
    ]);
    const refusal = async (body: object, who = admin) => (await who.post('/api/bulk/preview', body)).json.errors[0];
    const filter = { failedOf: id };
    expect(await refusal({ kind: 'tasks.cancel', filter: { ...filter, ids: [first.id] } })).toMatchObject({
      pointer: '/filter/ids',
    });
    expect(await refusal({ kind: 'tasks.cancel', filter: { failedOf: 'bulk_x' } })).toMatchObject({
      pointer: '/filter/failedOf',
    });
    expect((await refusal({ kind: 'jobs.pause', filter })).message).toBe('is an operation on tasks, not on jobs');
    const stranger = await world.person(`again-${adapter}`, 'viewer', { own: 'operator' });
    const foreign = await world.person(`unseen-${adapter}`, 'none', { own: 'operator' });
    expect(await refusal({ kind: 'tasks.cancel', filter }, foreign)).toMatchObject({ pointer: '/filter/failedOf' });
    const own = [first, shard].filter(({ group }) => group === 'own').length;
    expect((await stranger.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json).toMatchObject({
      eligible: { count: own },
      notAllowed: 2 - own,
    });
    await root.run("UPDATE bulk_operations SET bulk_state = 'paused', ended_at = NULL WHERE id = ?", [id]);
    expect((await refusal({ kind: 'tasks.cancel', filter })).message).toBe('must have ended');
    await root.run("UPDATE bulk_operations SET bulk_state = 'aborted', ended_at = 1 WHERE id = ?", [id]);
    const preview = (await admin.post('/api/bulk/preview', { kind: 'tasks.cancel', filter })).json;
    expect(preview.eligible).toEqual({ count: 2, capped: false });
    const again = (await admin.post('/api/bulk', { kind: 'tasks.cancel', filter, reason: 'again' })).json;
    expect(await ended(again.id)).toMatchObject({ filter: { failedOf: id }, done: 2, skipped: 0, failed: 0 });
    const states = await Promise.all(waiting.map(async (task) => (await admin.get(`/api/tasks/${task.id}`)).json.state));
    expect(states).toEqual(['CANCELLED', 'RETRYING', 'RETRYING', 'CANCELLED']);
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

  it('moves jobs to another group: what would not go is named first, and what they have made stays', async () => {
    const make = (key: string, group: string) =>
      admin.post('/api/jobs', { key, group, handler: 'noop', owner: 'mover', schedule: { kind: 'manual' } });
    // One after the other: what is left out is told newest first.
    const [free, taken] = [await make('free', 'own'), await make('taken', 'own')];
    const there = await make('there', 'other');
    await make('taken', 'other');
    const { taskId } = (await admin.post(`/api/jobs/${free.json.id}/trigger`)).json;
    const filter = { ids: [free, taken, there].map(({ json }) => json.id) };
    const change = { group: 'other' };
    const refusal = async (body: object) => (await admin.post('/api/bulk/preview', body)).json.errors[0];
    expect(await refusal({ kind: 'jobs.move', filter })).toMatchObject({ pointer: '/change/group', code: 'required' });
    expect(await refusal({ kind: 'jobs.move', filter, change: { group: 'nowhere' } })).toMatchObject({
      pointer: '/change/group',
    });
    expect(await refusal({ kind: 'jobs.pause', filter, change })).toMatchObject({
      pointer: '/change/group',
      code: 'not_allowed',
    });
    const preview = (await admin.post('/api/bulk/preview', { kind: 'jobs.move', filter, change })).json;
    expect(preview).toMatchObject({ eligible: { count: 1, capped: false }, change, withoutWorker: ['noop'] });
    expect(preview.obstacles).toEqual([
      { code: 'there_already', count: 1, sample: ['there'] },
      { code: 'key_taken', count: 1, sample: ['taken'] },
    ]);
    const view = await ended((await admin.post('/api/bulk', { kind: 'jobs.move', filter, change, reason: 'merge' })).json.id);
    expect(view).toMatchObject({ done: 1, skipped: 1, failed: 1, change, expected: { count: 1 } });
    const { items } = (await admin.get(`/api/bulk/${view.id}/items?outcome=failed`)).json;
    expect(items).toMatchObject([
      { id: taken.json.id, code: 'key_taken', detail: 'the group other has a job with the key taken' },
    ]);
    expect((await admin.get(`/api/jobs/${free.json.id}`)).json).toMatchObject({ group: 'other', version: free.json.version });
    // What failed can be done again once its cause is gone: that alone.
    const failedOf = { kind: 'jobs.move', filter: { failedOf: view.id }, change };
    expect((await admin.post('/api/bulk/preview', failedOf)).json).toMatchObject({
      eligible: { count: 0 },
      obstacles: [{ code: 'key_taken', count: 1 }],
    });
    const inTheWay = (await admin.get('/api/jobs?group=other&q=taken')).json.items[0];
    expect((await admin.call('DELETE', `/api/jobs/${inTheWay.id}`)).status).toBeLessThan(300);
    expect((await admin.post('/api/bulk/preview', failedOf)).json).toMatchObject({
      eligible: { count: 1 },
      sample: [{ id: taken.json.id }],
      frozen: { failedOf: view.id },
    });
    const again = await ended((await admin.post('/api/bulk', { ...failedOf, reason: 'once more' })).json.id);
    expect(again).toMatchObject({ done: 1, skipped: 0, failed: 0, expected: { count: 1 } });
    expect((await admin.get(`/api/jobs/${taken.json.id}`)).json.group).toBe('other');
    expect((await admin.get(`/api/tasks/${taskId}`)).json).toMatchObject({ group: 'own', state: 'PENDING' });
    const next = (await admin.post(`/api/jobs/${free.json.id}/trigger`, { force: true })).json;
    expect((await admin.get(`/api/tasks/${next.taskId}`)).json.group).toBe('other');
    const [entry] = (await admin.get(`/api/audit?objectId=${free.json.id}&action=job.moved`)).json.items;
    expect(entry).toMatchObject({ reason: 'merge', bulkId: view.id, before: { group: 'own' }, after: { group: 'other' } });
  });

  it('moves jobs only for who may edit them in both groups', async () => {
    const person = await world.person(`editor-${adapter}`, 'viewer', { own: 'admin' });
    const body = { kind: 'jobs.move', filter: { group: ['own'] }, change: { group: 'other' } };
    expect((await person.post('/api/bulk/preview', body)).status).toBe(403);
    const back = { ...body, filter: { owner: 'mover' }, change: { group: 'own' } };
    const preview = (await person.post('/api/bulk/preview', back)).json;
    // What is in the other group it may not take from there.
    expect(preview.frozen.group).toEqual(['own']);
    expect(preview.notAllowed).toBeGreaterThan(0);
  });

  it('gives jobs an owner, also those the filter finds no more afterwards, and counts them after a death of the node', async () => {
    const filter = { owner: 'mover' };
    const change = { owner: 'ledger team' };
    expect((await admin.post('/api/bulk/preview', { kind: 'jobs.set_owner', filter, change })).json).toMatchObject({
      eligible: { count: 3 },
      obstacles: [],
    });
    const id = (await admin.post('/api/bulk', { kind: 'jobs.set_owner', filter, change, reason: 'new team' })).json.id;
    expect(await ended(id)).toMatchObject({ done: 3, skipped: 0, failed: 0 });
    const jobs = (await admin.get('/api/jobs?owner=ledger%20team')).json.items;
    expect(jobs).toHaveLength(3);
    const versions = (await admin.get(`/api/jobs/${jobs[0].id}/versions`)).json;
    expect(versions.items[0].definition.owner).toBe('ledger team');
    // As a node leaves it that is killed after its last item: nothing counted.
    await world.app
      .get(SqlDialect)
      .root.run(
        "UPDATE bulk_operations SET bulk_state = 'running', cursor_id = NULL, done_count = 0, ended_at = NULL, claimed_by = 'dead', claimed_until = 0 WHERE id = ?",
        [id],
      );
    expect(await ended(id)).toMatchObject({ state: 'done', done: 3 });
    const none = await admin.post('/api/bulk', {
      kind: 'jobs.set_owner',
      filter: { owner: 'ledger team' },
      change: { owner: null },
      reason: 'gone',
    });
    expect(await ended(none.json.id)).toMatchObject({ done: 3 });
    expect((await admin.get(`/api/jobs/${jobs[0].id}`)).json.owner).toBeNull();
  });
});
