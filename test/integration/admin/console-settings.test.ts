import type { AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';

const BADGE = { name: 'Staging', colour: '#0f766e', production: false };

describe.each(ADAPTERS)('what the console is set to for everybody (%s)', (adapter) => {
  let world: ConsoleWorld;
  let second: ConsoleWorld | undefined;
  let admin: Browser;
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
  }, 60_000);
  afterAll(async () => {
    await second?.stop();
    await world?.stop();
  });
  const put = (path: string, body: object, browser = admin) => browser.call('PUT', `/api/settings/${path}`, body);
  const revision = async (path: string) => (await admin.get(`/api/settings/${path}`)).json.revision as string;

  it('is nothing at first, and told to whoever opens it', async () => {
    expect((await world.browser().get('/api/site')).json).toEqual({ environment: null, liveFloorSeconds: 1 });
    expect((await admin.get('/api/settings/environment')).json).toEqual({ environment: null, revision: '0' });
    expect((await admin.get('/api/settings/live-floor')).json).toEqual({ seconds: 1, revision: '0' });
  });

  it('names the environment from what was read, for everybody and in the log', async () => {
    const set = await put('environment', { revision: '0', environment: BADGE, reason: 'they look alike' });
    expect(set.json).toEqual({ environment: BADGE, revision: '1' });
    expect((await world.browser().get('/api/site')).json.environment).toEqual({ ...BADGE, textColour: '#ffffff' });
    const stale = await put('environment', { revision: '0', environment: null });
    expect(stale.json).toMatchObject({ status: 409, code: 'version_conflict', current: set.json });
    const [entry] = (await admin.get('/api/audit?objectType=setting&objectId=environment')).json.items;
    expect(entry).toMatchObject({
      id: set.headers.get('audit-id'),
      action: 'settings.environment_changed',
      reason: 'they look alike',
      before: { environment: null },
      after: { environment: BADGE },
    });
  });

  it('refuses colours that cannot be told from the bar of either theme, and says the rule', async () => {
    const refused = async (environment: unknown) =>
      (await put('environment', { revision: await revision('environment'), environment })).json.errors;
    for (const [colour, theme] of [
      ['#fadb14', 'light'],
      ['#1f1f1f', 'dark'],
    ]) {
      const errors = await refused({ ...BADGE, colour });
      expect(errors).toEqual([
        {
          ...{ pointer: '/environment/colour', code: 'out_of_range', rule: 'contrast' },
          message: expect.stringContaining(`of the ${theme} theme`),
          params: expect.objectContaining({ theme, least: 3 }),
        },
      ]);
      expect(errors[0].message).toContain('3:1 or more in both themes');
    }
    const pointers = async (environment: unknown) =>
      (await refused(environment)).map(({ pointer }: { pointer: string }) => pointer);
    expect(await pointers({ ...BADGE, colour: 'red' })).toEqual(['/environment/colour']);
    expect(await pointers({ ...BADGE, name: ' ' })).toEqual(['/environment/name']);
    expect(await pointers({ ...BADGE, name: 'x'.repeat(25), size: 1 })).toEqual(['/environment/name', '/environment/size']);
    expect(await pointers({})).toEqual(['/environment/name', '/environment/colour', '/environment/production']);
    expect(await pointers('PROD')).toEqual(['/environment']);
    expect((await admin.get('/api/site')).json.environment.name).toBe('Staging');
  });

  it('lets exactly one of many first settings through', async () => {
    const all = await Promise.all([5, 15, 60].map((seconds) => put('live-floor', { revision: '0', seconds })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const won = all.find(({ status }) => status === 200);
    expect((await admin.get('/api/settings/live-floor')).json).toEqual(won?.json);
    expect((await admin.get('/api/site')).json.liveFloorSeconds).toBe(won?.json.seconds);
    expect((await put('live-floor', { revision: '1', seconds: 2 })).json.errors).toMatchObject([
      { pointer: '/seconds', message: 'must be one of 1, 5, 15, 60' },
    ]);
    const [entry] = (await admin.get('/api/audit?objectType=setting&objectId=live_floor')).json.items;
    expect(entry).toMatchObject({ action: 'settings.live_floor_changed', before: { live_floor: 1 } });
  });

  it('is set by an admin of everything alone', async () => {
    for (const [name, role, grants] of [
      ['settings-operator', 'operator', {}],
      ['settings-owner', 'none', { own: 'admin' }],
    ] as const) {
      const person = await world.person(`${name}-${adapter}`, role, grants);
      const body = { revision: await revision('environment'), environment: null };
      expect((await put('environment', body, person)).json.code).toBe('permission_denied');
      expect((await put('live-floor', { revision: '1', seconds: 1 }, person)).json.code).toBe('permission_denied');
      expect((await person.get('/api/site')).status).toBe(200);
    }
  });

  if (adapter === 'cluster')
    it('is so on every node', async () => {
      second = await world.another();
      const there = second.browser();
      const environment = { name: 'PROD', colour: '#c41d3a', production: true };
      await put('environment', { revision: await revision('environment'), environment });
      const site = async () => (await there.get('/api/site')).json;
      await waitFor('the second node knows it', async () => (await site()).environment?.name === 'PROD');
    }, 60_000);
});
