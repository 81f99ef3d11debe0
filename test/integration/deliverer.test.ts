import type { AttemptDelivery } from '../../src/callbacks/attempt-delivery.js';
import type { CallbackDeed } from '../../src/callbacks/callback-trail.js';
import type { AttemptResult, ClaimedSend } from '../../src/callbacks/callbacks.js';
import { ChallengeStore } from '../../src/callbacks/challenge.store.js';
import { ChallengeTurns } from '../../src/callbacks/challenge-turns.js';
import { Deliverer } from '../../src/callbacks/deliverer.js';
import { DeliveriesService } from '../../src/callbacks/deliveries.service.js';
import { DeliveryStore } from '../../src/callbacks/delivery.store.js';
import { DeliveryNews } from '../../src/callbacks/delivery-news.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { EndpointsService } from '../../src/callbacks/endpoints.service.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { PendingCallbacks } from '../../src/callbacks/pending-callbacks.js';
import { SendStore } from '../../src/callbacks/send.store.js';
import { WebhookSecrets } from '../../src/callbacks/webhook-secrets.js';
import { classOf } from '../../src/decisions/callback-schedule.js';
import type { Sql } from '../../src/ports.js';
import { MissedEnds } from '../../src/tasks/missed-ends.js';
import { HandMovedClock } from '../support/hand-moved-clock.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP, TaskWorld } from '../support/task-world.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The callbacks of one node on a real database with time moved by hand; a test says how each attempt ends. */
class CallbackWorld {
  readonly sent: ClaimedSend[] = [];
  /** What it did of its own accord, as it is logged. */
  readonly deeds: CallbackDeed[] = [];
  /** How attempts end from now on. */
  answer: Partial<AttemptResult> | 'hangs' = { status: 200 };
  readonly sends: SendStore;
  readonly endpointStore: EndpointStore;
  readonly endpoints: EndpointsService;
  readonly deliveries: DeliveriesService;
  readonly deliverer: Deliverer;
  private readonly hanging: (() => void)[] = [];

  private constructor(
    readonly tasks: TaskWorld,
    readonly clock: HandMovedClock,
    readonly backends: Awaited<ReturnType<FreshDatabase['open']>>,
  ) {
    const { dialect } = backends;
    this.sends = new SendStore(dialect);
    this.endpointStore = new EndpointStore(dialect);
    this.deliverer = this.anotherDeliverer();
    const outbox = new OutboxStore();
    const secrets = new WebhookSecrets({ seal: (secret) => secret, open: (box) => box });
    const turns = new ChallengeTurns(new ChallengeStore(dialect));
    const { directory } = tasks;
    this.endpoints = new EndpointsService(dialect, this.endpointStore, outbox, directory, secrets, this.deliverer, turns, clock);
    this.deliveries = new DeliveriesService(dialect, new DeliveryStore(), this.endpointStore, outbox, this.deliverer, clock);
  }

  static async create(database: FreshDatabase): Promise<CallbackWorld> {
    const backends = await database.open();
    const clock = new HandMovedClock();
    const tasks = await new TaskWorld({ ...backends, clock: clock as never }).prepare();
    return new CallbackWorld(tasks, clock, backends);
  }

  anotherDeliverer(): Deliverer {
    const { dialect } = this.backends;
    const delivery = {
      attempt: (send: ClaimedSend, signal: AbortSignal) => this.attempt(send, signal),
    } as unknown as AttemptDelivery;
    const trail = { write: async (_: Sql, deed: CallbackDeed) => void this.deeds.push(deed) };
    return new Deliverer(
      dialect,
      this.sends,
      this.endpointStore,
      this.tasks.directory,
      delivery,
      this.clock,
      trail,
      this.tasks.outbox,
      new DeliveryNews(),
    );
  }

  /** A task that has ended and whose callback waits. */
  async ended(url = 'https://a.partner.com/hook'): Promise<string> {
    const id = await this.tasks.submit({ callbackUrl: url });
    const lease = await this.tasks.claim(id);
    const at = this.clock.now();
    await this.tasks.lifecycle.settle('w1', [{ taskId: id, lease, outcome: 'succeeded', startedAt: at, endedAt: at } as never]);
    return id;
  }

  async round(deliverer = this.deliverer): Promise<void> {
    await deliverer.round();
    await deliverer.settled();
  }

  async delivery(taskId: string) {
    const [delivery] = await this.deliveries.list({ appId: APP, taskId, limit: 1 });
    return delivery as NonNullable<typeof delivery>;
  }

  release(): void {
    for (const end of this.hanging.splice(0)) end();
  }

  private async attempt(send: ClaimedSend, signal: AbortSignal): Promise<AttemptResult> {
    this.sent.push(send);
    if (this.answer === 'hangs')
      await new Promise<void>((resolve, reject) => {
        this.hanging.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const told = this.answer === 'hangs' ? { status: 200 } : this.answer;
    const facts = { status: null, failure: null, retryAfter: null, response: null, ...told };
    return { startedAt: this.clock.now(), durationMs: 1, ...facts, class: classOf(facts) };
  }
}

describe.each(ADAPTERS)('the deliverer, %s', (adapter) => {
  let database: FreshDatabase;
  let world: CallbackWorld;

  beforeEach(async () => {
    database = await freshDatabase(adapter);
    world = await CallbackWorld.create(database);
  });
  afterEach(() => database.drop());

  it('sends what an end left in its transaction, once', async () => {
    const id = await world.ended();
    await world.round();
    await world.round();
    expect(world.sent).toHaveLength(1);
    expect(JSON.parse(world.sent[0]?.body ?? '')).toMatchObject({ id: world.sent[0]?.eventId, data: { taskId: id } });
    expect(await world.delivery(id)).toMatchObject({ state: 'SUCCEEDED', attempts: 1, nextAttemptAt: null });
  });

  it('writes nothing for a task nobody listens to', async () => {
    const id = await world.ended(null as never);
    expect(await world.deliveries.list({ appId: APP, taskId: id, limit: 10 })).toEqual([]);
  });

  it('keeps to its schedule of eleven attempts, then gives up, and starts over when recovered', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const endpointId = made?.endpoint.id as string;
    world.answer = { status: 200, verified: true };
    await world.round();
    expect((await world.endpoints.find(APP, endpointId))?.state).toBe('ENABLED');
    const id = await world.ended(null as never);
    world.answer = { status: 500 };
    const pauses: number[] = [];
    for (let i = 0; i < 200 && (await world.delivery(id)).state === 'PENDING'; i++) {
      await world.round();
      const { nextAttemptAt } = await world.delivery(id);
      if (nextAttemptAt === null) break;
      pauses.push(nextAttemptAt - world.clock.now());
      // An open circuit may hold the attempt up, without spending it.
      world.clock.pass(Math.max(nextAttemptAt - world.clock.now(), 31 * MINUTE));
    }
    expect(await world.delivery(id)).toMatchObject({ state: 'EXHAUSTED', attempts: 11, lastStatus: 500 });
    expect(pauses[0]).toBeGreaterThanOrEqual(4_000);
    expect(pauses[0]).toBeLessThanOrEqual(6_000);
    expect(await world.deliveries.recover(APP, endpointId, world.clock.now() - 10 * DAY)).toBe(1);
    expect(await world.deliveries.recover(APP, endpointId, world.clock.now() - 10 * DAY)).toBe(0);
    expect(await world.deliveries.recover(APP + 1, endpointId, 0)).toBeNull();
    world.answer = { status: 200 };
    world.clock.pass(31 * MINUTE);
    await world.round();
    expect(await world.delivery(id)).toMatchObject({ state: 'SUCCEEDED', attempts: 12 });
    expect(new Set(world.sent.filter(({ eventType }) => eventType === 'task.succeeded').map(({ eventId }) => eventId)).size).toBe(
      1,
    );
  });

  it('sends again what a process took and died with, when the lease is over', async () => {
    const id = await world.ended();
    world.answer = 'hangs';
    await world.deliverer.round();
    const other = world.anotherDeliverer();
    world.answer = { status: 200 };
    await world.round(other);
    expect(world.sent).toHaveLength(1);
    world.clock.pass(31_000);
    await world.round(other);
    expect(world.sent.map(({ eventId }) => eventId)).toEqual([world.sent[0]?.eventId, world.sent[0]?.eventId]);
    expect(await world.delivery(id)).toMatchObject({ state: 'SUCCEEDED', attempts: 1 });
    world.release();
    await world.deliverer.settled();
    expect(await world.delivery(id)).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
  });

  it('never has two nodes send the same at once', async () => {
    for (let i = 0; i < 8; i++) await world.ended(`https://h${i}.partner.com/hook`);
    const nodes = [world.deliverer, world.anotherDeliverer(), world.anotherDeliverer()];
    await Promise.all(nodes.map((node) => world.round(node)));
    for (const node of nodes) await world.round(node);
    expect(world.sent).toHaveLength(8);
    expect(new Set(world.sent.map(({ deliveryId }) => deliveryId)).size).toBe(8);
  });

  it('has at most four at once per host and goes on with the others', async () => {
    for (let i = 0; i < 10; i++) await world.ended('https://slow.partner.com/hook');
    const quick = await world.ended('https://quick.partner.com/hook');
    world.answer = 'hangs';
    await world.deliverer.round();
    expect(world.sent.filter(({ url }) => url.includes('slow'))).toHaveLength(4);
    expect(world.sent.filter(({ url }) => url.includes('quick'))).toHaveLength(1);
    world.release();
    world.answer = { status: 200 };
    await world.deliverer.settled();
    expect((await world.delivery(quick)).state).toBe('SUCCEEDED');
  });

  it('opens the circuit after five failures, lets one through later, and closes it when that one is taken', async () => {
    for (let i = 0; i < 12; i++) await world.ended();
    world.answer = { failure: 'connect' };
    for (let i = 0; i < 4; i++) await world.round();
    const before = world.sent.length;
    expect(before).toBeGreaterThanOrEqual(5);
    expect(before).toBeLessThanOrEqual(8);
    world.clock.pass(MINUTE + 1_000);
    world.answer = { status: 200 };
    await world.deliverer.round();
    expect(world.sent).toHaveLength(before + 1);
    await world.deliverer.settled();
    for (let i = 0; i < 5; i++) await world.round();
    world.clock.pass(10_000);
    for (let i = 0; i < 5; i++) await world.round();
    expect(new Set(world.sent.map(({ deliveryId }) => deliveryId)).size).toBe(12);
  });

  it('leaves what falls due behind an open circuit untried, and sends it oldest first, four at once, when it has closed', async () => {
    const tasks: string[] = [];
    for (let i = 0; i < 14; i++) {
      tasks.push(await world.ended());
      world.clock.pass(10);
    }
    const waiting = async () =>
      (await Promise.all(tasks.map((task) => world.delivery(task)))).filter(({ state }) => state === 'PENDING');
    world.answer = { failure: 'connect' };
    for (let i = 0; i < 4; i++) await world.round();
    world.clock.pass(30_000);
    const sent = world.sent.length;
    for (let i = 0; i < 3; i++) await world.round();
    expect(world.sent).toHaveLength(sent);
    const due = (await waiting()).sort((a, b) => (a.nextAttemptAt as number) - (b.nextAttemptAt as number));
    expect(due).toHaveLength(14);
    expect(due.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(sent);
    expect(due[0]?.nextAttemptAt).toBeLessThan(world.clock.now());

    world.answer = { status: 200 };
    world.clock.pass(MINUTE);
    const order = due.map(({ id }) => id);
    for (const size of [1, 4, 4, 4, 1]) {
      const before = world.sent.length;
      await world.round();
      const now = world.sent.slice(before).map(({ deliveryId }) => deliveryId);
      expect(now.sort()).toEqual(order.splice(0, size).sort());
    }
    expect(await waiting()).toEqual([]);
  });

  it('gives up what waits behind a circuit that stays open once it is three days old, and keeps nothing of it in the queue', async () => {
    const tasks: string[] = [];
    for (let i = 0; i < 40; i++) tasks.push(await world.ended());
    world.answer = { failure: 'connect' };
    const pending = async () =>
      (await Promise.all(tasks.map((task) => world.delivery(task)))).filter(({ state }) => state === 'PENDING');
    const overdue = async () => (await pending()).filter(({ nextAttemptAt }) => (nextAttemptAt as number) <= world.clock.now());
    const pass = async (hours: number) => {
      for (let i = 0; i < hours * 2; i++) {
        // What is let through fails, so that the next round finds the circuit open again.
        world.clock.pass(30 * MINUTE);
        for (let n = 0; n < 2; n++) await world.round();
      }
    };
    for (let i = 0; i < 4; i++) await world.round();
    await pass(71);
    expect(await overdue()).not.toEqual([]);
    await pass(2);
    expect(await overdue()).toEqual([]);
    // The longest pause of the schedule.
    await pass(25);
    expect(await pending()).toEqual([]);
    expect(await world.sends.countByTarget(world.backends.dialect.root)).toEqual([]);
    for (const task of tasks) expect(await world.delivery(task)).toMatchObject({ state: 'EXHAUSTED', nextAttemptAt: null });
  });

  it('disables an endpoint that had no success for five days, and holds a re-enabling back for five minutes', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    world.answer = { status: 200, verified: true };
    await world.round();
    world.answer = { failure: 'timeout' };
    for (let hour = 0; hour < 7 * 24 && (await world.endpoints.find(APP, id))?.state === 'ENABLED'; hour += 5) {
      await world.ended(null as never);
      await world.round();
      world.clock.pass(5 * 60 * MINUTE);
    }
    expect(await world.endpoints.find(APP, id)).toMatchObject({ state: 'DISABLED', stateReason: 'failing' });
    expect(await world.endpoints.switchedOff(10)).toMatchObject([{ id, stateReason: 'failing' }]);
    expect(world.deeds).toMatchObject([
      {
        action: 'endpoint.disabled',
        object: { type: 'endpoint', id },
        before: { state: 'ENABLED', stateReason: null },
        after: { state: 'DISABLED', stateReason: 'failing' },
      },
    ]);
    const sent = world.sent.length;
    world.clock.pass(DAY);
    await world.round();
    expect(world.sent).toHaveLength(sent);
    await world.endpointStore.disable(world.backends.dialect.root, id, 'failing', world.clock.now());
    expect((await world.endpoints.enable(APP, id)).outcome).toBe('enabled');
  });

  it('asks an unproven endpoint again a minute after it did last, however often it is disabled and enabled', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    const state = async () => (await world.endpoints.find(APP, id))?.state;
    const offAndOn = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await world.endpoints.disable(APP, id);
        await world.round();
        expect(await world.endpoints.enable(APP, id)).toMatchObject({ outcome: 'enabled', endpoint: { state: 'PENDING' } });
        await world.round();
      }
    };
    world.answer = { status: 500 };
    await world.round();
    await offAndOn(10);
    expect(world.sent).toHaveLength(1);
    // Its second attempt comes while it is disabled, so what is left of the first challenge is given up.
    await world.endpoints.disable(APP, id);
    world.clock.pass(10_000);
    await world.round();
    await offAndOn(10);
    world.clock.pass(49_000);
    await offAndOn(1);
    expect(world.sent).toHaveLength(1);
    world.answer = { status: 200, verified: true };
    world.clock.pass(2_000);
    await world.round();
    expect(world.sent.map(({ eventType }) => eventType)).toEqual(['endpoint.verification', 'endpoint.verification']);
    expect(await state()).toBe('ENABLED');
  });

  it('asks at one host and path once a minute, however often endpoints there are made and deleted', async () => {
    const url = 'https://a.partner.com/hook';
    const make = (at: string, appId = APP) => world.endpoints.create(appId, at, ['task.succeeded']);
    let refused = 0;
    for (let i = 0; i < 20; i++) {
      const made = await make(`${url}?n=${i}`).catch((error) => {
        expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('once a minute') });
        expect(error.extras).toMatchObject({ retryAfter: 60, members: { 'violated-policies': ['verification'] } });
        refused += 1;
        return null;
      });
      await world.round();
      if (made) await world.endpoints.remove(APP, made.endpoint.id);
    }
    expect([world.sent.length, refused]).toEqual([1, 14]);
    for (let i = 0; i < 10; i++) {
      world.clock.pass(MINUTE);
      await world.round();
    }
    expect(world.sent).toHaveLength(1);

    const kept = [await make(url), await make(url)].map((made) => made?.endpoint.id);
    await make('https://a.partner.com/other');
    await make(url, APP + 1);
    await world.round();
    const asked = () =>
      world.sent.map(({ appId, url: at, endpointId }) => [appId, at, kept.indexOf(endpointId as string)]).slice(1);
    const others = [
      [APP, 'https://a.partner.com/other', -1],
      [APP + 1, url, -1],
    ];
    expect(asked()).toHaveLength(3);
    expect(asked()).toEqual(expect.arrayContaining([[APP, url, 0], ...others]));
    world.answer = { status: 200, verified: true };
    world.clock.pass(MINUTE);
    await world.round();
    expect(asked()).toContainEqual([APP, url, 1]);
    expect((await world.endpoints.find(APP, kept[1] as string))?.state).toBe('ENABLED');
  });

  it('asks at one place once a minute however its path is spelled', async () => {
    const { dialect } = world.backends;
    const turns = new ChallengeTurns(new ChallengeStore(dialect));
    const now = world.clock.now();
    const paths = ['/hook', '/hook/', '/%68ook', '//hook', '/hook?n=1', '/%68ook//'];
    const waits: number[] = [];
    for (const path of paths)
      waits.push(await dialect.transaction((tx) => turns.take(tx, APP, `https://a.partner.com${path}`, now)));
    expect(waits.map((at) => (at - now) / MINUTE)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('asks ten times a minute at one host and port, whatever the paths, and refuses what five minutes have no room for', async () => {
    const { dialect } = world.backends;
    const turns = new ChallengeTurns(new ChallengeStore(dialect));
    const now = world.clock.now();
    const take = (path: string, host = 'a.partner.com', app = APP) =>
      dialect.transaction((tx) => turns.take(tx, app, `https://${host}${path}`, now));
    const waits: number[] = [];
    for (let i = 0; i < 60; i++) waits.push((await take(`/hook${i}`)) - now);
    expect(waits.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(waits.slice(10)).toEqual(Array.from({ length: 50 }, (_, i) => (i + 1) * 6_000));
    await expect(take('/hook;1')).rejects.toMatchObject({ code: 'rate_limited', extras: { retryAfter: 6 } });
    expect(await take('/hook', 'a.partner.com:8443')).toBe(now);
    expect(await take('/hook', 'b.partner.com')).toBe(now);
    expect(await take('/hook', 'a.partner.com', APP + 1)).toBe(now);
  });

  it('refuses to ask an unproven endpoint again while the next five minutes of its host are taken', async () => {
    const { dialect } = world.backends;
    const turns = new ChallengeTurns(new ChallengeStore(dialect));
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    await world.endpoints.disable(APP, id);
    await world.round();
    const again = await Promise.all(
      Array.from({ length: 5 }, () =>
        dialect.transaction((tx) => turns.take(tx, APP, 'https://a.partner.com/hook', world.clock.now())),
      ),
    );
    expect(new Set(again).size).toBe(5);
    await expect(world.endpoints.enable(APP, id)).rejects.toMatchObject({ code: 'rate_limited', extras: { retryAfter: 60 } });
    expect((await world.endpoints.find(APP, id))?.state).toBe('DISABLED');
    world.clock.pass(MINUTE);
    expect((await world.endpoints.enable(APP, id)).outcome).toBe('enabled');
  });

  it('asks the unproven endpoints of one host and path a minute apart also when they are enabled again', async () => {
    world.answer = { status: 500 };
    const ids: string[] = [];
    for (let i = 0; i < 3; i++)
      ids.push((await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']))?.endpoint.id as string);
    for (const id of ids) await world.endpoints.disable(APP, id);
    // What is left of their challenges is given up.
    for (let i = 0; i < 10; i++) {
      world.clock.pass(MINUTE);
      await world.round();
    }
    const before = world.sent.length;
    await Promise.all(ids.map((id) => world.endpoints.enable(APP, id)));
    world.answer = { status: 200, verified: true };
    for (let proven = 1; proven <= ids.length; proven++) {
      await world.round();
      expect(world.sent).toHaveLength(before + proven);
      world.clock.pass(MINUTE);
    }
    for (const id of ids) expect((await world.endpoints.find(APP, id))?.state).toBe('ENABLED');
  });

  it('sends a test once, to an enabled endpoint alone, and counts it against nobody', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    await expect(world.endpoints.ping(APP, id)).rejects.toMatchObject({ code: 'state_conflict' });
    const tested = async () => {
      const deliveryId = (await world.endpoints.ping(APP, id)) as string;
      await world.round();
      return (await world.deliveries.find(APP, deliveryId))?.delivery;
    };
    world.answer = { status: 200, verified: true };
    await world.round();
    world.answer = { status: 500 };
    for (let i = 0; i < 6; i++) expect(await tested()).toMatchObject({ state: 'EXHAUSTED', attempts: 1, lastStatus: 500 });
    const sent = world.sent.length;
    world.clock.pass(DAY);
    await world.round();
    expect(world.sent).toHaveLength(sent);
    world.answer = { status: 200 };
    const task = await world.ended(null as never);
    await world.round();
    expect((await world.delivery(task)).state).toBe('SUCCEEDED');
    expect(await tested()).toMatchObject({ state: 'SUCCEEDED', attempts: 1 });
    await world.endpoints.disable(APP, id);
    await expect(world.endpoints.ping(APP, id)).rejects.toMatchObject({ code: 'state_conflict' });
  });

  it('tells an endpoint of what it has missed, each end once, and under the id others were told it by', async () => {
    const unheard = await world.ended(null as never);
    const told = await world.ended();
    const made = await world.endpoints.create(APP, 'https://b.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    const { dialect, clock } = world.backends;
    const missed = new MissedEnds(dialect, world.tasks.store, world.endpoints, world.tasks.outbox, clock);
    const notes: string[] = [];
    const replay = () => missed.replay(APP, id, 0, async () => void notes.push('logged'));
    await expect(replay()).rejects.toMatchObject({ code: 'state_conflict' });
    world.answer = { status: 200, verified: true };
    await world.round();
    const heard = await world.ended(null as never);
    await world.round();
    expect(await missed.replay(APP + 1, id, 0, async () => {})).toBeNull();
    const [one, other] = await Promise.all([replay(), replay()]);
    expect([one, other]).toEqual(
      expect.arrayContaining([
        { queued: 2, more: false },
        { queued: 0, more: false },
      ]),
    );
    expect(notes.length).toBeGreaterThanOrEqual(2);
    await world.round();
    const at = (taskId: string) =>
      world.sent.filter((each) => each.endpointId === id && JSON.parse(each.body).data.taskId === taskId);
    expect([unheard, told, heard].map((taskId) => at(taskId).length)).toEqual([1, 1, 1]);
    const others = world.sent.filter(({ endpointId, body }) => endpointId === null && JSON.parse(body).data.taskId === told);
    expect(others.map(({ eventId, body }) => [eventId, body])).toEqual(at(told).map(({ eventId, body }) => [eventId, body]));
    expect(await replay()).toEqual({ queued: 0, more: false });
  });

  it('queues nothing again for an endpoint that does not listen or is deleted, and says so', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    world.answer = { status: 200, verified: true };
    await world.round();
    const task = await world.ended(null as never);
    await world.endpoints.disable(APP, id);
    await world.round();
    const { id: deliveryId, ...given } = await world.delivery(task);
    expect(given).toMatchObject({ state: 'EXHAUSTED', attempts: 0 });
    await expect(world.deliveries.recover(APP, id, 0)).rejects.toMatchObject({ code: 'state_conflict' });
    expect((await world.delivery(task)).state).toBe('EXHAUSTED');
    await world.endpoints.enable(APP, id);
    expect(await world.deliveries.recover(APP, id, 0)).toBe(1);
    await world.round();
    expect((await world.delivery(task)).state).toBe('SUCCEEDED');
    await world.endpoints.remove(APP, id);
    await expect(world.deliveries.redeliver(APP, deliveryId)).rejects.toMatchObject({ code: 'state_conflict' });
    await world.round();
    expect((await world.delivery(task)).attempts).toBe(1);
  });

  it('tries a blocked address three times more, then gives up', async () => {
    const id = await world.ended();
    world.answer = { failure: 'blocked' };
    for (let i = 0; i < 8; i++) {
      await world.round();
      world.clock.pass(40 * MINUTE);
    }
    const delivery = await world.delivery(id);
    expect(delivery).toMatchObject({ state: 'EXHAUSTED', attempts: 4, lastFailure: 'blocked' });
    expect(world.deeds).toEqual([
      {
        action: 'ssrf.blocked',
        object: { type: 'delivery', id: delivery.id },
        after: { host: 'a.partner.com', endpointId: null, trigger: 'auto' },
      },
    ]);
  });

  it('gives back what it was sending when it is stopped', async () => {
    const id = await world.ended();
    world.answer = 'hangs';
    await world.deliverer.round();
    await world.deliverer.onModuleDestroy();
    world.answer = { status: 200 };
    await world.round(world.anotherDeliverer());
    expect(await world.delivery(id)).toMatchObject({ state: 'SUCCEEDED', attempts: 1 });
  });

  it('gives up at once what waits behind an open circuit for an endpoint that was switched off', async () => {
    const made = await world.endpoints.create(APP, 'https://a.partner.com/hook', ['task.succeeded']);
    const id = made?.endpoint.id as string;
    world.answer = { status: 200, verified: true };
    await world.round();
    const tasks: string[] = [];
    for (let i = 0; i < 12; i++) tasks.push(await world.ended(null as never));
    world.answer = { failure: 'connect' };
    for (let i = 0; i < 3; i++) await world.round();
    const states = async () => Promise.all(tasks.map(async (task) => (await world.delivery(task)).state));
    expect(new Set(await states())).toEqual(new Set(['PENDING']));
    expect(await world.endpoints.disable(APP, id)).toMatchObject({ state: 'DISABLED' });
    const sent = world.sent.length;
    // Those that failed are due again a few seconds later; the circuit is still open then.
    world.clock.pass(10_000);
    await world.round();
    expect(new Set(await states())).toEqual(new Set(['EXHAUSTED']));
    expect(world.sent).toHaveLength(sent);
  });

  it('counts what waits by app, whatever it waits for', async () => {
    const pending = new PendingCallbacks(world.backends.dialect, world.sends, world.clock);
    await pending.count();
    expect(pending.of(APP)).toBe(0);
    for (let i = 0; i < 5; i++) await world.ended(`https://h${i % 2}.partner.com/hook`);
    await pending.count();
    expect([pending.of(APP), pending.of(APP + 1)]).toEqual([5, 0]);
    for (let i = 0; i < 3; i++) await world.round();
    await pending.count();
    expect(pending.of(APP)).toBe(0);
  });

  it('finds due targets in one look, however many wait at each', async () => {
    for (let i = 0; i < 30; i++) await world.ended(`https://h${i % 10}.partner.com/hook`);
    const { due, last } = await world.sends.dueTargets(world.backends.dialect.root, '', world.clock.now(), 4);
    expect(due).toHaveLength(4);
    const rest = await world.sends.dueTargets(world.backends.dialect.root, last as string, world.clock.now(), 100);
    expect(rest.due).toHaveLength(6);
    expect(rest.last).toBeNull();
  });
});
