import { StreamHub } from '../../../src/admin/stream/stream-hub.js';
import { AppsService } from '../../../src/auth/apps.service.js';
import { EndpointsService } from '../../../src/callbacks/endpoints.service.js';
import { AdminBrowser, type AdminBrowser as Browser } from '../../support/admin-browser.js';
import { ADAPTERS } from '../../support/services.js';
import { waitFor } from '../../support/wait-for.js';
import { ConsoleWorld } from './support/console-world.js';
import { seedTasks } from './support/many-tasks.js';

interface Event {
  id?: string;
  event?: string;
  data?: { topics?: string[]; groups?: string[] };
}

/** An open stream, as a browser reads it. */
class Listening {
  readonly events: Event[] = [];
  ended = false;
  private readonly abort = new AbortController();

  static async open(browser: Browser, topics: string, lastEventId?: string): Promise<Listening> {
    const listening = new Listening();
    const response = await fetch(`${browser.url}/api/stream?topics=${topics}`, {
      headers: { cookie: browser.cookie as string, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
      signal: listening.abort.signal,
    });
    if (response.status !== 200) throw new Error(await response.text());
    void listening.read(response.body as ReadableStream<Uint8Array>);
    return listening;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(part, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // Closed by this side.
    }
    this.ended = true;
  }

  private take(block: string): void {
    if (block.startsWith(':')) return;
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
    if (fields.event) this.events.push({ ...fields, data: JSON.parse(fields.data) });
  }

  of(topic: string): Event[] {
    return this.events.filter(({ data }) => data?.topics?.includes(topic));
  }

  close(): void {
    this.abort.abort();
  }
}

describe.each(ADAPTERS)('the stream of the console (%s)', (adapter) => {
  let world: ConsoleWorld;
  let admin: Browser;
  const open: Listening[] = [];
  beforeAll(async () => {
    world = await ConsoleWorld.start(adapter);
    admin = await world.signIn();
  }, 60_000);
  afterAll(async () => {
    for (const listening of open) listening.close();
    await world?.stop();
  });
  const listen = async (browser: Browser, topics: string, lastEventId?: string) => {
    const listening = await Listening.open(browser, topics, lastEventId);
    open.push(listening);
    return listening;
  };

  it('tells which topics are out of date, about which groups, and only to who may know', async () => {
    const bob = await world.person(`bob-${adapter}`, 'none', { other: 'viewer' });
    const [all, own] = [await listen(admin, 'tasks,jobs'), await listen(bob, 'tasks')];
    const [task] = (await seedTasks(world, 12)).filter(({ group, state }) => group === 'own' && state === 'PENDING');
    await waitFor('the admin hears of tasks', () => all.of('tasks').some(({ data }) => data?.groups?.includes('own')));
    await waitFor('bob hears of the other group', () => own.of('tasks').length > 0);
    for (const { data } of own.of('tasks')) expect(data?.groups ?? []).not.toContain('own');
    const detail = await listen(admin, `task:${task?.id}`);
    expect((await admin.post(`/api/tasks/${task?.id}/cancel`)).status).toBe(200);
    await waitFor('the task is told of', () => detail.of(`task:${task?.id}`).length > 0);
    expect(detail.of('tasks')).toEqual([]);
  });

  it('tells of callbacks to who may see them', async () => {
    const dora = await world.person(`dora-${adapter}`, 'none', { own: 'viewer' });
    const [all, own] = [await listen(admin, 'callbacks'), await listen(dora, 'callbacks,tasks')];
    const app = await world.app.get(AppsService).create({ name: 'told', defaultGroup: 'own' });
    const endpoints = world.app.get(EndpointsService, { strict: false });
    await endpoints.create(app.id, 'https://nowhere.invalid/hook', ['task.succeeded']);
    await waitFor('the challenge it is sent is told of', () => all.of('callbacks').length > 0);
    await seedTasks(world, 2, { app: app.id });
    await waitFor('dora hears of tasks', () => own.of('tasks').length > 0);
    expect(own.of('callbacks')).toEqual([]);
  });

  it('refuses topics there are not, and tasks one may not see', async () => {
    const bob = await world.signIn(`bob-${adapter}`);
    const [task] = (await seedTasks(world, 2, { app: 55 })).filter(({ group }) => group === 'own');
    expect((await admin.get('/api/stream?topics=secrets')).json.errors[0].pointer).toBe('/query/topics');
    expect((await admin.get('/api/stream')).status).toBe(400);
    expect((await bob.get(`/api/stream?topics=task:${task?.id}`)).status).toBe(404);
  });

  it('goes on where the client was, or says that it cannot', async () => {
    const first = await listen(admin, 'groups');
    await admin.post('/api/groups/own/hold', { reason: 'one' });
    const heard = await waitFor('the hold is told of', () => first.of('groups').at(-1));
    first.close();
    const witness = await listen(admin, 'groups');
    await admin.post('/api/groups/own/release');
    await waitFor('the release is told of', () => witness.of('groups').length > 0);
    const again = await listen(admin, 'groups', heard.id);
    await waitFor('what was missed is told', () => again.of('groups').length > 0);
    const inItsPlace = await listen(admin, `groups,jobs&after=${heard.id}`);
    await waitFor('so it is where another stream takes its place', () => inItsPlace.of('groups').length > 0);
    const stranger = await listen(admin, 'groups', 'node_OTHER-3');
    await waitFor('a reset is told', () => stranger.events.some(({ event }) => event === 'reset'));
  });

  it('tells a client that was alone what it missed while it was away, also if it had only heard beats', async () => {
    for (const listening of open) listening.close();
    const quiet = await world.person(`quiet-${adapter}`, 'viewer');
    const first = await listen(quiet, 'callbacks');
    const beat = await waitFor('it is greeted', () => first.events.find(({ event }) => event === 'beat'));
    expect(beat.id).toMatch(/^node_/);
    first.close();
    await waitFor('it is gone', () => first.ended);
    const hub = world.app.get(StreamHub, { strict: false }) as unknown as {
      seq: number;
      stale: { size: number };
      round: () => Promise<void>;
    };
    const before = hub.seq;
    await admin.post('/api/groups/own/hold', { reason: 'meanwhile' });
    await waitFor('the node heard of the hold', () => hub.stale.size > 0 || hub.seq > before);
    await hub.round();
    const again = await listen(quiet, 'groups', beat.id);
    await waitFor('it is told something', () => again.events.length > 0);
    expect(['changed', 'reset']).toContain(again.events[0]?.event);
  });

  it('greets a client that comes back and missed nothing', async () => {
    const first = await listen(admin, 'callbacks');
    const { id } = await waitFor('it is greeted', () => first.events.find(({ event }) => event === 'beat'));
    const again = await listen(admin, 'callbacks', id);
    await waitFor('it is greeted again', () => again.events.length > 0);
    expect(again.events[0]).toMatchObject({ event: 'beat', id: expect.stringMatching(/^node_/) });
  });

  it('tells no more often than the floor allows, and loses nothing of what it kept back', async () => {
    const setFloor = async (seconds: number) => {
      const { revision } = (await admin.get('/api/settings/live-floor')).json;
      expect((await admin.call('PUT', '/api/settings/live-floor', { revision, seconds })).status).toBe(200);
    };
    await setFloor(60);
    const listening = await listen(admin, 'groups,jobs');
    await admin.post('/api/groups/own/hold', { reason: 'first' });
    const schedule = { kind: 'manual' };
    await admin.post('/api/jobs', { key: 'told', group: 'own', handler: 'noop', schedule });
    // The round that sends a beat has first told what it may.
    const beats = () => listening.events.filter(({ event }) => event === 'beat').length;
    const before = beats();
    await waitFor('a beat', () => beats() > before);
    expect(Math.min(listening.of('groups').length, listening.of('jobs').length)).toBe(0);
    await setFloor(1);
    await waitFor('both are told of', () => listening.of('groups').length > 0 && listening.of('jobs').length > 0);
    await admin.post('/api/groups/own/release');
  }, 60_000);

  it('tells a person on any node of new rights, nobody else, and nobody of rights that stay', async () => {
    // SQLite has one node.
    const other = adapter === 'cluster' ? await world.another() : null;
    try {
      const nora = await world.person(`nora-${adapter}`, 'viewer');
      const elsewhere = new AdminBrowser((other ?? world).url);
      elsewhere.cookie = nora.cookie;
      const [told, away, aside] = [await listen(nora, 'tasks'), await listen(elsewhere, 'tasks'), await listen(admin, 'tasks')];
      const change = async (changed: object) => {
        const { revision } = (await admin.get(`/api/users/nora-${adapter}`)).json;
        expect((await admin.call('PATCH', `/api/users/nora-${adapter}`, { ...changed, revision })).status).toBe(200);
      };
      const count = ({ events }: Listening) => events.filter(({ event }) => event === 'rights-changed').length;
      await change({ role: 'viewer' });
      await change({ role: 'none' });
      for (const each of [told, away]) await waitFor('the end of the role is told', () => count(each) === 1);
      await change({ grants: { own: 'operator' } });
      for (const each of [told, away]) await waitFor('a right in a group is told', () => count(each) === 2);
      expect(count(aside)).toBe(0);
    } finally {
      await other?.stop();
    }
  }, 60_000);

  it('ends with the session', async () => {
    const carol = await world.person(`carol-${adapter}`, 'viewer');
    const listening = await listen(carol, 'tasks');
    await carol.call('DELETE', '/api/session');
    await waitFor('the stream has ended', () => listening.ended);
    expect(listening.events.at(-1)?.event).toBe('session-ended');
  });
});
