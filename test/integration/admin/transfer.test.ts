import { AppsService } from '../../../src/auth/apps.service.js';
import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { ConsoleWorld } from './support/console-world.js';

const PARAMS = '{"n":9007199254740993,"x":1.0}';

describe.each(ADAPTERS)('the configuration as a file (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  let text: string;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
    const { revision } = (await admin.get('/api/groups/own')).json;
    const settings = {
      maxRunning: 7,
      maxDispatchRate: 5,
      policies: { timeoutMs: 5_000, retry: { kind: 'fixed', maxRetries: 3, delayMs: 1_000 } },
    };
    expect((await admin.call('PATCH', '/api/groups/own', { revision, ...settings })).status).toBe(200);
    const job = (key: string, group: string, more: object) =>
      admin.post('/api/jobs', { key, group, handler: 'noop', paramsText: PARAMS, ...more });
    const first = await job('z-first', 'own', {
      schedule: { kind: 'cron', expression: '30 9 * * MON-FRI', timeZone: 'Asia/Shanghai' },
      tags: ['b', 'a'],
      shards: 3,
      workerTags: ['gpu'],
    });
    expect(first.status).toBe(201);
    const second = await job('a-second', 'own', { schedule: { kind: 'upstream' }, upstreams: ['z-first'] });
    expect(second.status).toBe(201);
    const third = await job('far', 'other', {
      schedule: { kind: 'every', everyMs: 60_000 },
      upstreams: [first.json.id, second.json.id],
    });
    expect(third.json).toMatchObject({ upstreamJobs: [{ group: 'own' }, { group: 'own' }] });
    text = (await admin.get('/api/export')).text;
  }, 60_000);
  afterAll(() => world?.stop());

  const take = (browser: Browser, fileText: string, more: object = {}) => browser.post('/api/import', { fileText, ...more });

  it('holds no ids, no secrets and no state, and names jobs by their keys', () => {
    expect(text).not.toMatch(/job_[0-9A-Z]{26}|state|nextFireAt|createdAt|revision/);
    const { schema, jobs } = JSON.parse(text);
    expect(schema).toBe('evenkeel.configuration');
    expect(jobs.map(({ key }: { key: string }) => key)).toEqual(['far', 'a-second', 'z-first']);
    expect(jobs[0].upstreams).toEqual(['own/a-second', 'own/z-first']);
    expect(jobs[1]).toMatchObject({ upstreams: ['z-first'], paramsText: PARAMS });
  });

  it('holds single jobs with their groups when they are asked for', async () => {
    const { items } = (await admin.get('/api/jobs?q=z-first')).json;
    const file = JSON.parse((await admin.get(`/api/export?job=${items[0].id}`)).text);
    expect(file.jobs).toEqual([JSON.parse(text).jobs[2]]);
    expect(file.groups.map(({ key }: { key: string }) => key)).toEqual(['own']);
    expect(JSON.parse((await admin.get('/api/export?job=job_01JGEXAMPLE000000000000000')).text)).toMatchObject({
      groups: [],
      jobs: [],
    });
  });

  it('comes out byte for byte as it went into an empty installation, its jobs paused', async () => {
    const empty = await ConsoleWorld.start(adapter, []);
    try {
      const owner = await empty.signIn();
      const before = (await owner.get('/api/export')).text;
      const tried = await take(owner, text, { dryRun: true });
      expect(tried.json).toMatchObject({ dryRun: true, errors: [], counts: { create: 5 } });
      expect((await owner.get('/api/export')).text).toBe(before);
      const done = await take(owner, text, { reason: 'move' });
      expect(done.json.errors).toEqual([]);
      expect((await owner.get('/api/export?group=own&group=other')).text).toBe(text);
      const jobs = (await owner.get('/api/jobs')).json.items;
      expect(jobs).toHaveLength(3);
      for (const job of jobs) expect(job).toMatchObject({ state: 'paused', pauseReason: 'imported', nextFireAt: null });
      const log = (await owner.get('/api/audit?action=job.imported')).json.items;
      expect(log).toHaveLength(3);
      expect(log[0]).toMatchObject({ actor: 'user:admin', reason: 'move' });
      expect((await take(owner, text)).json.counts).toMatchObject({ create: 0, update: 0, unchanged: 5, conflict: 0 });
    } finally {
      await empty.stop();
    }
  }, 60_000);

  it('comes out byte for byte as YAML too, and is taken in under other names', async () => {
    const exported = await admin.get('/api/export?format=yaml');
    expect(exported.headers.get('content-type')).toContain('application/yaml');
    expect(exported.headers.get('content-disposition')).toContain('evenkeel-configuration.yaml');
    expect((await take(admin, exported.text, { dryRun: true })).json).toMatchObject({ errors: [], counts: { unchanged: 5 } });
    const names = { groups: { own: 'moved', other: 'near' }, owners: { nobody: 'x' } };
    const moved = await take(admin, exported.text, { dryRun: true, names });
    expect(moved.json).toMatchObject({ errors: [], counts: { create: 5 }, names: { groups: ['other', 'own'], owners: [] } });
    const empty = await ConsoleWorld.start(adapter, []);
    try {
      const owner = await empty.signIn();
      expect((await take(owner, exported.text)).json.errors).toEqual([]);
      expect((await owner.get('/api/export?group=own&group=other&format=yaml')).text).toBe(exported.text);
      expect((await owner.get('/api/export?group=own&group=other')).text).toBe(text);
    } finally {
      await empty.stop();
    }
    expect((await admin.get('/api/export?format=xml')).json.errors).toMatchObject([{ pointer: '/query/format' }]);
    const wrong = exported.text.replace('handler: noop', 'handler: {}');
    const at = wrong.indexOf('handler: {}');
    expect((await take(admin, wrong)).json.errors).toMatchObject([
      { code: 'wrong_type', line: wrong.slice(0, at).split('\n').length, column: at - wrong.lastIndexOf('\n', at) + 9 },
    ]);
    const refused = await take(admin, text, { names: { groups: { own: '' }, owners: { a: 1 }, more: {} } });
    expect(refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/names/groups/own',
      '/names/owners/a',
      '/names/more',
    ]);
    expect((await take(admin, `x: ${'y'.repeat(1_600_000)}`)).json.errors).toMatchObject([
      { pointer: '/fileText', code: 'too_long' },
    ]);
  }, 60_000);

  it('shows how a file differs, skips what differs or overwrites it and pauses it', async () => {
    const file = JSON.parse(text);
    file.jobs[2].handler = 'other';
    const changed = JSON.stringify(file, null, 2);
    const skipped = (await take(admin, changed)).json;
    const [conflict] = skipped.items.filter(({ action }: { action: string }) => action === 'conflict');
    expect(conflict).toMatchObject({ key: 'z-first', diff: [{ field: 'handler', before: '"noop"', after: '"other"' }] });
    expect((await admin.get('/api/export')).text).toBe(text);
    const overwritten = (await take(admin, changed, { onConflict: 'overwrite' })).json;
    expect(overwritten).toMatchObject({ errors: [], counts: { update: 1 } });
    const [job] = (await admin.get('/api/jobs?q=z-first')).json.items;
    expect(job).toMatchObject({ handler: 'other', state: 'paused', version: 2 });
    expect((await take(admin, text, { onConflict: 'overwrite' })).json.counts.update).toBe(1);
    expect((await admin.get('/api/export')).text).toBe(text);
  });

  it('writes what differs under a key of its own, with what waits for it, and nothing the second time', async () => {
    const file = JSON.parse(text);
    file.jobs[2].handler = 'renamed';
    const changed = JSON.stringify(file);
    const done = (await take(admin, changed, { onConflict: 'rename' })).json;
    expect(done).toMatchObject({ errors: [], counts: { create: 3, update: 0, conflict: 0 } });
    const jobOf = async (key: string) =>
      (await admin.get(`/api/jobs?q=${key}`)).json.items.find((job: { key: string }) => job.key === key);
    const [first, second, far] = [await jobOf('z-first-2'), await jobOf('a-second-2'), await jobOf('far-2')];
    expect(first).toMatchObject({ handler: 'renamed', state: 'paused' });
    expect(second.upstreams).toEqual([first.id]);
    expect([...far.upstreams].sort()).toEqual([first.id, second.id].sort());
    expect(await jobOf('z-first')).toMatchObject({ handler: 'noop' });
    expect(done.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ key: 'z-first-2', renamedFrom: 'z-first', action: 'create' })]),
    );
    expect((await take(admin, changed, { onConflict: 'rename' })).json.counts).toMatchObject({ create: 0, unchanged: 5 });
    for (const { id } of [far, second, first]) expect((await admin.call('DELETE', `/api/jobs/${id}`)).status).toBe(204);
    expect((await admin.get('/api/export')).text).toBe(text);
  });

  it('is made of what XXL-JOB or PowerJob exported, and taken in like any other', async () => {
    const rows = [
      {
        id: 1,
        jobDesc: 'nightly',
        executorHandler: 'xxlNightly',
        scheduleType: 'CRON',
        scheduleConf: '0 0 2 ? * 2',
        childJobId: '2',
      },
      { id: 2, jobDesc: 'report', executorHandler: 'xxlReport', scheduleType: 'NONE', glueType: 'BEAN' },
      { id: 3, jobDesc: 'old script', glueType: 'GLUE_SHELL' },
    ];
    const convert = (fileText: string, more: object = {}) =>
      admin.post('/api/import/convert', { from: 'xxl-job', fileText, group: 'own', timeZone: 'Asia/Shanghai', ...more });
    const { status, json } = await convert(JSON.stringify({ recordsTotal: 3, data: rows }));
    expect([status, json.jobs, json.notes]).toEqual([200, 2, [{ code: 'script_left_out', jobs: ['old script'] }]]);
    expect((await take(admin, json.fileText)).json).toMatchObject({ errors: [], counts: { create: 2 } });
    const jobs = (await admin.get('/api/jobs?tag=xxl-job')).json.items;
    expect(jobs).toMatchObject([
      { key: 'xxlReport', schedule: { kind: 'upstream' }, state: 'paused' },
      { key: 'xxlNightly', schedule: { expression: '0 0 2 * * MON', timeZone: 'Asia/Shanghai' }, state: 'paused' },
    ]);
    for (const { id } of jobs) expect((await admin.call('DELETE', `/api/jobs/${id}`)).status).toBe(204);
    const power = [
      { jobName: 'settle', timeExpressionType: 2, timeExpression: '0 0 2 * * ?', processorType: 1, processorInfo: 'a.Settle' },
    ];
    const other = (await convert(JSON.stringify(power), { from: 'powerjob' })).json;
    expect(other).toMatchObject({ jobs: 1, notes: [] });
    expect((await take(admin, other.fileText, { dryRun: true })).json).toMatchObject({
      errors: [],
      items: [{ key: 'settle', action: 'create' }],
    });
    expect((await convert('[]')).json).toMatchObject({ errors: [{ pointer: '/fileText' }] });
    expect((await convert('[]', { timeZone: 'Nowhere', group: '' })).json.errors).toHaveLength(2);
  });

  it('writes nothing of a file with an error, and says on which line each one is', async () => {
    const file = JSON.parse(text);
    file.groups.push({ key: 'fresh', maxRunning: 'many' });
    file.jobs.push({ group: 'own', key: 'bad-cron', handler: 'noop', schedule: { kind: 'cron', expression: '61 * * * *' } });
    file.jobs.push({ group: 'nowhere', key: 'lost', handler: 'noop', schedule: { kind: 'manual' } });
    file.jobs.push({ group: 'own', key: 'fine', handler: 'noop', schedule: { kind: 'manual' } });
    const bad = JSON.stringify(file, null, 2);
    const { json } = await take(admin, bad);
    const lineOf = (part: string) => bad.slice(0, bad.indexOf(part)).split('\n').length;
    const columnOf = (part: string) => bad.indexOf(part) - bad.lastIndexOf('\n', bad.indexOf(part));
    expect(json.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          pointer: '/groups/2/maxRunning',
          code: 'wrong_type',
          line: lineOf('"many"'),
          column: columnOf('"many"'),
        }),
        expect.objectContaining({ pointer: '/jobs/3/schedule/expression', line: lineOf('61 * * * *') }),
        expect.objectContaining({ pointer: '/jobs/4/group', code: 'not_allowed', line: lineOf('"nowhere"') }),
      ]),
    );
    expect(json.errors).toHaveLength(3);
    expect((await admin.get('/api/export')).text).toBe(text);
    expect((await take(admin, '{"schema":\n oops')).json.errors).toMatchObject([{ code: 'bad_format', line: 2, column: 2 }]);
    file.jobs = [{ ...JSON.parse(text).jobs[2], schedule: { kind: 'upstream' }, upstreams: ['a-second'] }];
    file.groups = [];
    expect((await take(admin, JSON.stringify(file))).json.errors).toMatchObject([{ code: 'dependency_cycle' }]);
  });

  it('may be larger than other requests: some megabytes of jobs', async () => {
    const file = JSON.parse(text);
    const [first] = file.jobs.filter(({ key }: { key: string }) => key === 'z-first');
    const long = JSON.stringify({ text: 'x'.repeat(30_000) });
    file.jobs = Array.from({ length: 100 }, (_, n) => ({ ...first, key: `long-${n}`, paramsText: long }));
    const { status, json } = await take(admin, JSON.stringify(file, null, 2), { dryRun: true });
    expect([status, json.errors, json.counts.create]).toEqual([200, [], 100]);
  });

  it('neither shows nor changes anything of groups the caller may not see', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { own: 'admin' });
    const seen = (await bob.get('/api/export')).text;
    expect(JSON.parse(seen)).toMatchObject({ groups: [{ key: 'own' }], jobs: [{ key: 'a-second' }, { key: 'z-first' }] });
    const [far] = (await admin.get('/api/jobs?q=far')).json.items;
    expect(JSON.parse((await bob.get(`/api/export?job=${far.id}`)).text)).toMatchObject({ groups: [], jobs: [] });
    const { json } = await take(bob, text, { onConflict: 'overwrite' });
    expect(json.items.map(({ group }: { group: string }) => group)).not.toContain('other');
    expect(json.errors.map(({ code }: { code: string }) => code)).toEqual(['not_allowed', 'not_allowed']);
    const viewer = await world.person(`eve-${adapter}`, 'viewer');
    expect((await take(viewer, text)).status).toBe(403);
  });

  it('leaves the jobs of partners where they are, and their keys too', async () => {
    const app = await world.app.get(AppsService).create({ name: 'p', defaultGroup: 'own', groups: ['own'] });
    const { JobsService } = await import('../../../src/jobs/jobs.service.js');
    const { GroupsService } = await import('../../../src/jobs/groups.service.js');
    const group = world.app.get(GroupsService).byKey('own') as { id: number; partition: number };
    const [house] = (await admin.get('/api/jobs?q=z-first')).json.items;
    const source = await world.app.get(JobsService).find('anybody', house.id);
    const names = { key: 'theirs', groupId: group.id, partition: group.partition, appId: app.id };
    if (!source) throw new Error('no job');
    await world.app.get(JobsService).create({ ...names, clientRequestId: null, fingerprint: null, by: 'app:x' }, source);
    expect((await admin.get('/api/export')).text).toBe(text);
    const file = JSON.parse(text);
    file.jobs[2].key = 'theirs';
    file.jobs.splice(0, 2);
    expect((await take(admin, JSON.stringify(file))).json.errors).toMatchObject([{ pointer: '/jobs/0/key', code: 'not_unique' }]);
  });
});
