import { AdminDocumentService, type ConsoleRoute } from '../../../src/admin/document/admin-document.service.js';
import { ROUTES } from '../../../src/admin/document/routes.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import {
  GLOBAL_ONLY,
  type GlobalRole,
  may,
  mayAnywhere,
  type Permission,
  type Rights,
  type Role,
} from '../../../src/decisions/permissions.js';
import { SqlDialect } from '../../../src/ports.js';
import { WorkerStore } from '../../../src/registry/worker.store.js';
import { WorkersService } from '../../../src/registry/workers.service.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ConsoleWorld } from './support/console-world.js';
import { seedTasks } from './support/many-tasks.js';

const PEOPLE: [name: string, role: GlobalRole, grants: Record<string, Role>][] = [
  ['all-viewer', 'viewer', {}],
  ['all-operator', 'operator', {}],
  ['all-admin', 'admin', {}],
  ['own-viewer', 'none', { own: 'viewer' }],
  ['own-operator', 'none', { own: 'operator' }],
  ['own-admin', 'none', { own: 'admin' }],
  ['mixed', 'viewer', { own: 'operator' }],
  ['nobody', 'none', {}],
];
const GROUPS = ['own', 'other'] as const;
const VIEW: Record<string, Permission> = {
  tasks: 'tasks.view',
  jobs: 'jobs.view',
  groups: 'groups.view',
  workers: 'workers.view',
};
/** Told about single objects, in a group. */
const OF_OBJECTS = /^\/api\/(tasks|jobs|groups|workers)\/\{/;

describe('rights in the console', () => {
  let world: ConsoleWorld;
  let routes: ConsoleRoute[];
  let appId: number;
  let made = 0;
  const browsers = new Map<string, Browser>();
  beforeAll(async () => {
    world = await ConsoleWorld.start('embedded');
    routes = world.app.get(AdminDocumentService, { strict: false }).routes();
    appId = (await world.app.get(AppsService).create({ name: 'a', defaultGroup: 'own' })).id;
    for (const group of GROUPS) await addWorker(`worker-${group}`, [group]);
    await addWorker('worker-both', ['own', 'other']);
    await world.app.get(WorkersService).refresh();
    for (const [name, role, grants] of PEOPLE) browsers.set(name, await world.person(name, role, grants));
  }, 60_000);
  afterAll(() => world?.stop());

  async function addWorker(workerId: string, groups: string[], handler = 'noop'): Promise<void> {
    const offer = { groups, urls: ['http://127.0.0.1:1'], handlers: [{ name: handler }], slots: 4, sdk: 'test' };
    const figures = { seq: 1, beatSeq: 1, active: 0, queued: 0, freeSlots: 4, avgCostMs: 0, cpuIdlePercent: 100 };
    const at = Date.now();
    const times = { registeredAt: at, lastBeatAt: at + 3_600_000 };
    await world.app.get(WorkerStore, { strict: false }).insert({
      workerId,
      incarnation: 'I1',
      accessKey: 'wk_test',
      offer,
      state: 'ready',
      drainAsked: false,
      drain: null,
      cordon: null,
      figures,
      lastRefused: null,
      ...times,
    });
  }

  /** The path of the route for an object that was just made in the group. */
  async function pathFor(route: ConsoleRoute, group: string): Promise<string> {
    const room = route.path.split('/')[2];
    if (room === 'groups') return route.path.replace('{key}', group);
    if (room === 'workers' && route.method === 'DELETE') {
      // The others are lost by and by, since nobody beats for them, and would then be gone for whoever comes next.
      made += 1;
      await addWorker(`away-${made}`, [group], 'of-no-use');
      await world.app.get(WorkersService).refresh();
      return route.path.replace('{id}', `away-${made}`);
    }
    if (room === 'workers') return route.path.replace('{id}', `worker-${group}`);
    const admin = browsers.get('all-admin') as Browser;
    made += 1;
    if (room === 'jobs') {
      const job = await admin.post('/api/jobs', {
        key: `made-${made}`,
        group,
        handler: 'noop',
        schedule: { kind: 'every', everyMs: 60_000 },
        paused: true,
      });
      const path = route.path.replace('{id}', job.json.id).replace('{earlier}', '1');
      if (!path.includes('{backfill}')) return path;
      const begun = await admin.post(`/api/jobs/${job.json.id}/backfill`, LAST_MINUTES);
      return path.replace('{backfill}', begun.json.backfill.id);
    }
    const tasks = await seedTasks(world, 2, { app: appId + made * 1_000 });
    return route.path.replace('{id}', tasks.find((task) => task.group === group)?.id ?? '');
  }

  const LAST_MINUTES = { from: new Date(Date.now() - 300_000).toISOString(), until: new Date(Date.now() - 1_000).toISOString() };
  const BODIES: Record<string, object> = {
    'POST /api/jobs/{id}/backfill': { ...LAST_MINUTES, dryRun: true },
    'PUT /api/jobs/{id}': { version: 1, handler: 'noop', schedule: { kind: 'manual' } },
    'POST /api/jobs/{id}/copy': { key: 'copy' },
    'POST /api/jobs/{id}/versions/{earlier}/restore': { version: 1 },
    'PATCH /api/groups/{key}': { revision: 'stale' },
    'POST /api/groups/{key}/hold': { reason: 'test' },
  };

  it('documents every route, and no other', () => {
    const there = routes.map(({ method, path }) => `${method} ${path}`);
    expect([...there].sort()).toEqual(Object.keys(ROUTES).sort());
    expect(there.length).toBeGreaterThan(60);
  });

  it('lets nobody in who is not signed in', async () => {
    const stranger = world.browser();
    for (const { method, path } of routes) {
      if (['POST /api/session', 'GET /api/site'].includes(`${method} ${path}`)) continue;
      const answer = await stranger.call(method, path.replace(/\{\w+\}/g, 'x'));
      expect([method, path, answer.status, answer.json?.code]).toEqual([method, path, 401, 'auth_missing']);
    }
  });

  it.each(PEOPLE)(
    'lets %s do on each route what the role says, in each group',
    async (name, role, grants) => {
      const browser = browsers.get(name) as Browser;
      const rights: Rights = { role, grants: new Map(Object.entries(grants)) };
      const wrong: unknown[] = [];
      for (const route of routes.filter(({ path }) => OF_OBJECTS.test(path))) {
        for (const group of GROUPS) {
          const permission = route.needs as Permission;
          const path = await pathFor(route, group);
          const answer = await browser.call(route.method, path, BODIES[`${route.method} ${route.path}`]);
          const sees = may(rights, VIEW[route.path.split('/')[2] as string] as Permission, group);
          const allowed = may(rights, permission, group);
          // Copying needs to see the job and to edit where the copy goes.
          const expected = !mayAnywhere(rights, permission) ? 403 : !sees ? 404 : allowed ? 'through' : 403;
          const got = answer.status === 403 || answer.status === 404 ? answer.status : 'through';
          if (got !== expected) wrong.push([route.method, route.path, group, expected, answer.status, answer.text.slice(0, 200)]);
        }
      }
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it.each(PEOPLE)('tells of %s to admins what their own session says', async (name) => {
    const own = (await (browsers.get(name) as Browser).get('/api/session')).json;
    const told = (await (browsers.get('all-admin') as Browser).get(`/api/users/${name}`)).json;
    expect(told.username).toBe(name);
    for (const part of ['permissions', 'groupPermissions']) expect(told[part]).toEqual(own[part]);
  });

  it.each(PEOPLE)('lets %s do what belongs to no group only by a global role', async (name, role, grants) => {
    const browser = browsers.get(name) as Browser;
    const rights: Rights = { role, grants: new Map(Object.entries(grants)) };
    for (const route of routes.filter(({ needs }) => (GLOBAL_ONLY as readonly string[]).includes(needs))) {
      const answer = await browser.call(
        route.method,
        route.path.replace(/\{\w+\}/g, 'nothing'),
        route.method === 'GET' || route.method === 'DELETE' ? undefined : {},
      );
      const allowed = may(rights, route.needs as Permission, null);
      expect([route.method, route.path, answer.status === 403]).toEqual([route.method, route.path, !allowed]);
      if (!allowed) expect(answer.json).toMatchObject({ code: 'permission_denied', permission: route.needs });
    }
  });

  it.each(PEOPLE)('never shows %s anything of a group they may not see', async (name, role, grants) => {
    const browser = browsers.get(name) as Browser;
    const rights: Rights = { role, grants: new Map(Object.entries(grants)) };
    const admin = browsers.get('all-admin') as Browser;
    const hidden = (
      await admin.post('/api/jobs', {
        key: `secret-of-other-${name}`,
        group: 'other',
        handler: 'noop',
        schedule: { kind: 'every', everyMs: 60_000 },
      })
    ).json;
    const lists = [
      '/api/jobs',
      '/api/tasks',
      '/api/groups',
      '/api/workers',
      '/api/overview',
      '/api/calendar',
      '/api/audit',
      '/api/bulk',
      `/api/search?q=secret-of-other-${name}`,
    ];
    for (const path of lists) {
      const { text, status } = await browser.get(path);
      if (may(rights, 'jobs.view', 'other') || status === 403) continue;
      expect(text).not.toContain(hidden.id);
      expect(text).not.toMatch(/"(key|group|name|id)":"(other|worker-other)"/);
    }
  });

  it('drains a worker only for who may in all its groups', async () => {
    const admin = browsers.get('all-admin') as Browser;
    // Due work of the group that nobody but the worker takes, and that stays due.
    await admin.post('/api/groups/own/hold', { reason: 'test' });
    const { id } = (await admin.post('/api/jobs', { key: 'due', group: 'own', handler: 'noop', schedule: { kind: 'manual' } }))
      .json;
    await admin.post(`/api/jobs/${id}/trigger`);
    await admin.post('/api/workers/worker-own/drain');
    const deadlineAt = new Date(Date.now() + 3_600_000).toISOString();
    const drain = (name: string) =>
      (browsers.get(name) as Browser).post('/api/workers/worker-both/drain', { reason: 'patch', deadlineAt });
    // Of a group they may not see not even the key.
    expect((await drain('own-operator')).json).toMatchObject({ status: 403, group: null });
    expect((await drain('all-operator')).json).toMatchObject({
      drainAsked: true,
      drain: { reason: 'patch', by: 'user:all-operator', deadlineAt },
      warnings: expect.arrayContaining([{ group: 'own', handlers: ['noop'] }]),
    });
    const [entry] = (await (browsers.get('all-admin') as Browser).get('/api/audit?objectId=worker-both')).json.items;
    expect(entry).toMatchObject({ action: 'worker.drain_asked', actor: 'user:all-operator', before: { drainAsked: false } });
  });

  it('neither drains a worker nor takes it back if that cannot be logged', async () => {
    const admin = browsers.get('all-admin') as Browser;
    const { root } = world.app.get(SqlDialect);
    const asked = async () =>
      Number((await root.rows<{ n: number }>("SELECT drain_asked AS n FROM workers WHERE worker_id = 'worker-both'"))[0]?.n);
    for (const [undone, done, before] of [
      ['drain', 'undrain', 0],
      ['undrain', 'drain', 1],
    ] as const) {
      expect((await admin.post(`/api/workers/worker-both/${done}`)).status).toBe(200);
      await root.run('ALTER TABLE audit_log RENAME TO audit_log_away');
      try {
        expect((await admin.post(`/api/workers/worker-both/${undone}`)).status).toBeGreaterThanOrEqual(500);
      } finally {
        await root.run('ALTER TABLE audit_log_away RENAME TO audit_log');
      }
      expect([undone, await asked()]).toEqual([undone, before]);
    }
    const [entry] = (await admin.get('/api/audit?objectId=worker-both')).json.items;
    expect(entry).toMatchObject({ action: 'worker.drain_asked', before: { drainAsked: false }, after: { drainAsked: true } });
  });

  it('lets nobody create or copy a job into a group where they may not edit', async () => {
    const owner = browsers.get('own-admin') as Browser;
    const into = (group: string) =>
      owner.post('/api/jobs', { key: 'smuggled', group, handler: 'noop', schedule: { kind: 'manual' } });
    expect((await into('other')).json.errors[0].pointer).toBe('/group');
    const { id } = (await into('own')).json;
    expect((await owner.post(`/api/jobs/${id}/copy`, { key: 'smuggled-2', group: 'other' })).json.errors[0].pointer).toBe(
      '/group',
    );
    const mixed = browsers.get('mixed') as Browser;
    expect(
      (await mixed.post('/api/jobs', { key: 'x', group: 'other', handler: 'noop', schedule: { kind: 'manual' } })).status,
    ).toBe(403);
  });

  it('lets nobody wait for a job they may not see, nor names it to them', async () => {
    const [admin, owner] = [browsers.get('all-admin') as Browser, browsers.get('own-admin') as Browser];
    const job = { handler: 'noop', schedule: { kind: 'manual' } };
    const hidden = (await admin.post('/api/jobs', { key: 'unseen', group: 'other', ...job })).json;
    const waits = { handler: 'noop', schedule: { kind: 'upstream' }, upstreams: [hidden.id] };
    const refused = await owner.post('/api/jobs', { key: 'listens', group: 'own', ...waits });
    expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer: '/upstreams/0', code: 'unknown_job' }] });
    const own = (await owner.post('/api/jobs', { key: 'seen', group: 'own', ...job })).json;
    expect((await owner.call('PUT', `/api/jobs/${own.id}`, { version: 1, ...waits })).json.errors[0].pointer).toBe(
      '/upstreams/0',
    );
    // What somebody else let it wait for stays through an edit.
    const given = (await admin.call('PUT', `/api/jobs/${own.id}`, { version: 1, ...waits })).json;
    expect(given.upstreamJobs).toMatchObject([{ key: 'unseen' }]);
    const edited = await owner.call('PUT', `/api/jobs/${own.id}`, { version: 2, ...waits, description: 'edited' });
    expect(edited.json.upstreamJobs).toEqual([{ id: hidden.id, key: null, group: null }]);
    // A copy would wait for it anew, and so would an earlier version once it is taken away.
    const unknown = { status: 400, errors: [{ pointer: '/upstreams/0', code: 'unknown_job' }] };
    expect((await owner.post(`/api/jobs/${own.id}/copy`, { key: 'seen-too' })).json).toMatchObject(unknown);
    expect((await owner.post(`/api/jobs/${own.id}/versions/2/restore`, { version: 3 })).status).toBe(200);
    await owner.call('PUT', `/api/jobs/${own.id}`, { version: 4, ...job });
    expect((await owner.post(`/api/jobs/${own.id}/versions/2/restore`, { version: 5 })).json).toMatchObject(unknown);
    expect((await admin.post(`/api/jobs/${own.id}/versions/2/restore`, { version: 5 })).status).toBe(200);
    // A circle through it names only what they see.
    const ring = (await owner.post('/api/jobs', { key: 'ring', group: 'own', ...job })).json;
    const behind = { handler: 'noop', schedule: { kind: 'upstream' } };
    const unseen = (await admin.post('/api/jobs', { key: 'unseen-ring', group: 'other', ...behind, upstreams: [ring.id] })).json;
    const last = (await admin.post('/api/jobs', { key: 'ring-end', group: 'own', ...behind, upstreams: [unseen.id] })).json;
    const closed = await owner.call('PUT', `/api/jobs/${ring.id}`, { version: 1, ...behind, upstreams: [last.id] });
    expect(closed.json).toMatchObject({ status: 422, code: 'dependency_cycle' });
    expect(closed.text).toContain('1 in groups you may not see');
    expect(closed.text).not.toContain('unseen-ring');
    for (const id of [last.id, unseen.id, ring.id]) await admin.call('DELETE', `/api/jobs/${id}`);

    const base = (await owner.post('/api/jobs', { key: 'base', group: 'own', ...job })).json;
    await admin.post('/api/jobs', { key: 'unseen-too', group: 'other', ...waits, upstreams: [base.id] });
    await owner.post('/api/jobs', { key: 'waits', group: 'own', ...waits, upstreams: [base.id] });
    const kept = await owner.call('DELETE', `/api/jobs/${base.id}`);
    expect(kept.json).toMatchObject({ code: 'job_has_dependants', dependants: ['waits'] });
    expect(kept.json.detail).toContain('waits, 1 in groups');
    expect(kept.text).not.toContain('unseen-too');
  });

  it('finds a worker by a group that one may see', async () => {
    await addWorker('worker-two', ['other', 'own']);
    await world.app.get(WorkersService).refresh();
    const groupOf = async (name: string) =>
      (await (browsers.get(name) as Browser).get('/api/search?q=worker-two')).json.hits.map(
        ({ group }: { group: string }) => group,
      );
    expect(await groupOf('own-viewer')).toEqual(['own']);
    expect(await groupOf('all-viewer')).toEqual(['other']);
  });

  it('explains the load of a worker by terms that add up', async () => {
    const { json } = await (browsers.get('all-viewer') as Browser).get('/api/workers/worker-own/load');
    expect(json.group).toBe('own');
    for (const { terms } of json.candidates) expect(terms.attempts + terms.cost + terms.cpu).toBeCloseTo(terms.load);
  });
});
