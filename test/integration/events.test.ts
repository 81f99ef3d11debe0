import { EventStore } from '../../src/tasks/event.store.js';
import type { EventRequest } from '../../src/tasks/events.service.js';
import { gate } from '../support/gate.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

describe.each(ADAPTERS)('events (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  let sent = 0;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  const listener = (name: string, more: object = {}) => w.job({ schedule: { kind: 'event', name }, ...more });
  const send = (name: string, more: Partial<EventRequest> = {}) => {
    sent += 1;
    const request = {
      appId: APP,
      groupIds: [w.group?.id as number],
      clientRequestId: `e-${sent}`,
      fingerprint: 'f',
      payload: '{"n":1}',
    };
    return w.events.send({ ...request, name, ...more });
  };
  const firedBy = async (outcome: Awaited<ReturnType<typeof send>>) => {
    if (outcome.outcome === 'reused' || outcome.outcome === 'in_progress') throw new Error(outcome.outcome);
    return outcome.event.taskIds;
  };

  it('fire every job that listens to the name, with the payload beside its params', async () => {
    const [one, two] = [await listener('paid'), await listener('paid', { params: 'null' })];
    await listener('Paid');
    const outcome = await send('paid');
    const ids = await firedBy(outcome);
    const tasks = await Promise.all(ids.map((id) => w.world.find(id)));
    expect(tasks.map(({ jobId, state }) => [jobId, state])).toEqual([
      [one.id, 'PENDING'],
      [two.id, 'PENDING'],
    ]);
    const event = { id: outcome.outcome === 'accepted' ? outcome.event.id : '', name: 'paid', payload: { n: 1 } };
    expect(tasks.map(({ params }) => JSON.parse(params as string))).toEqual([{ n: 1, event }, { event }]);
  });

  it('are told once however often they are sent, and refused with other parameters', async () => {
    const job = await listener('once');
    const first = await send('once', { clientRequestId: 'same' });
    const again = await send('once', { clientRequestId: 'same' });
    expect(again).toEqual({ ...first, outcome: 'replayed' });
    expect(await send('once', { clientRequestId: 'same', fingerprint: 'g' })).toMatchObject({ outcome: 'reused' });
    expect(await w.tasksOf(job.id)).toHaveLength(1);
    expect((await send('once', { clientRequestId: 'same', appId: 2 })).outcome).toBe('accepted');
  });

  it('recorded with the tasks of other apps too, as earlier versions did, name those of their sender alone', async () => {
    for (let i = 0; i < 2; i++) await listener('shared');
    const outcome = await send('shared', { clientRequestId: 'shared-1' });
    const [one, two] = await firedBy(outcome);
    const recorded = [await w.world.submit({ appId: APP + 1 }), one, await w.world.submit({ appId: null }), two];
    await w.backends.dialect.root.run("UPDATE app_events SET task_ids_json = ? WHERE client_request_id = 'shared-1'", [
      JSON.stringify(recorded),
    ]);
    expect(await send('shared', { clientRequestId: 'shared-1' })).toEqual({ ...outcome, outcome: 'replayed' });
  });

  // Embedded, transactions queue: nobody waits at a key.
  if (adapter === 'cluster') {
    it('that somebody is recording for longer than anybody waits are in progress, and the next attempt is told what became of them', async () => {
      const held = gate();
      let isWanted = true;
      const winner = w.backends.dialect.transaction(async (tx) => {
        const event = { id: 'evt_held', taskIds: [], createdAt: 1, fingerprint: 'f' };
        await new EventStore().insert(tx, { ...event, appId: APP, clientRequestId: 'held', name: 'held' });
        held.open();
        while (isWanted) await tx.rows('SELECT SLEEP(0.2)');
      });
      await held.opened;
      expect(await send('held', { clientRequestId: 'held' })).toEqual({ outcome: 'in_progress' });
      isWanted = false;
      await winner;
      expect(await send('held', { clientRequestId: 'held' })).toMatchObject({ outcome: 'replayed', event: { id: 'evt_held' } });
    }, 120_000);
  }

  it('sent fifty times at once fire each job once', async () => {
    const jobs = [await listener('burst'), await listener('burst')];
    for (let round = 0; round < 4; round++) {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => send('burst', { clientRequestId: `burst-${round}` })));
      const ids = await Promise.all(outcomes.map(firedBy));
      expect(new Set(ids.map((each) => each.join())).size).toBe(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
      for (const job of jobs) expect(await w.tasksOf(job.id)).toHaveLength(round + 1);
    }
  }, 60_000);

  it('fire many jobs with the largest payload: more than one statement may hold', async () => {
    const payload = JSON.stringify('"'.repeat(16 * 1024 - 2));
    const params = JSON.stringify({ text: '"'.repeat(16 * 1024) });
    const jobs = await Promise.all(Array.from({ length: 150 }, () => listener('large', { params })));
    const ids = await firedBy(await send('large', { payload }));
    expect(ids).toHaveLength(jobs.length);
    const last = await w.world.find(ids.at(-1) as string);
    expect(JSON.parse(last.params as string)).toMatchObject({ ...JSON.parse(params), event: { payload: JSON.parse(payload) } });
  }, 60_000);

  it('obey pause, window and overlap', async () => {
    const paused = await listener('rules');
    await w.service.pause(APP, paused.id, null);
    await listener('rules', { schedule: { kind: 'event', name: 'rules', startAt: '2999-01-01T00:00:00Z' } });
    const skipping = await listener('rules', { overlap: 'skip' });
    const queueing = await listener('rules', { overlap: 'queue' });
    await send('rules');
    const second = await firedBy(await send('rules'));
    expect(second).toHaveLength(2);
    expect(await w.statesOf(paused.id)).toEqual([]);
    expect(await w.statesOf(skipping.id)).toEqual(['PENDING', 'SKIPPED overlap']);
    expect(await w.statesOf(queueing.id)).toEqual(['PENDING', 'BLOCKED']);
  });

  it('without a listener, or in groups that are not the app’s, fire nothing', async () => {
    await listener('elsewhere');
    expect(await firedBy(await send('nobody'))).toEqual([]);
    expect(await firedBy(await send('elsewhere', { groupIds: [] }))).toEqual([]);
    expect(await firedBy(await send('elsewhere', { groupIds: [999_999] }))).toEqual([]);
  });

  it('begin a flow that jobs below join', async () => {
    const job = await listener('flow');
    const below = await w.job({ schedule: { kind: 'upstream' }, upstreams: [job.id] });
    const [id] = await firedBy(await send('flow'));
    await w.run(id as string);
    expect((await w.tasksOf(below.id)).map(({ state, flowId }) => [state, flowId])).toEqual([['PENDING', id]]);
  });
});
