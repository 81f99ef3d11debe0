import type { Job } from '../../src/jobs/job.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const MINUTE = 60_000;
const DELAY = 10 * MINUTE;

describe.each(ADAPTERS)('a job of the kind `after` (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
  });
  afterAll(() => database?.drop());

  const iso = (at: number) => new Date(at).toISOString();
  /** What a node does as soon as it hears of a change. */
  const look = async ({ id }: Job): Promise<Job> => {
    await w.backends.dialect.transaction((tx) => w.world.slots.review(tx, [id], w.clock.now(), 'node:n1'));
    return w.find(id);
  };
  const edit = async (job: Job, stated: { schedule: object; description?: string }): Promise<Job> => {
    const { version } = await w.find(job.id);
    const outcome = await w.service.update(APP, job.id, version, w.definition(stated), 'app:me');
    if (outcome.outcome !== 'changed') throw new Error(outcome.outcome);
    expect((await look(job)).nextFireAt).toBe(outcome.job.nextFireAt);
    return outcome.job;
  };
  /** Its task has run to its end just now. */
  const ran = async (job: Job): Promise<number> => {
    const { nextFireAt } = await w.find(job.id);
    w.clock.pass(Math.max(0, (nextFireAt as number) - w.clock.now()));
    await w.fire(job.id);
    const task = (await w.tasksOf(job.id)).at(-1);
    w.clock.pass(1_000);
    await w.run(task?.id as string);
    return w.clock.now();
  };

  it('fires when it was to, whatever else of it is edited, and however often', async () => {
    const schedule = { kind: 'after', delayMs: DELAY };
    const job = await w.job({ schedule });
    const first = job.nextFireAt as number;
    for (const description of ['one', 'two', 'three']) {
      w.clock.pass(MINUTE);
      expect(await edit(job, { schedule, description })).toMatchObject({ description, nextFireAt: first });
    }
    const endedAt = await ran(job);
    w.clock.pass(MINUTE);
    expect((await edit(job, { schedule, description: 'four' })).nextFireAt).toBe(endedAt + DELAY);
  });

  it('fires when it was to, although it was paused and resumed meanwhile', async () => {
    const job = await w.job({ schedule: { kind: 'after', delayMs: DELAY } });
    const planned = (await ran(job)) + DELAY;
    w.clock.pass(MINUTE);
    await w.service.pause(APP, job.id, null);
    expect(await look(job)).toMatchObject({ nextFireAt: null, pausedFireAt: planned });
    w.clock.pass(2 * DELAY);
    await w.service.resume(APP, job.id);
    expect((await look(job)).nextFireAt).toBe(planned);
  });

  it('waits for its first fire at `startAt`, and for another one if that is edited', async () => {
    const at = w.clock.now() + 60 * MINUTE;
    const schedule = { kind: 'after', delayMs: DELAY, startAt: iso(at) };
    const job = await w.job({ schedule });
    w.clock.pass(MINUTE);
    expect((await edit(job, { schedule, description: 'said better' })).nextFireAt).toBe(at);
    expect((await edit(job, { schedule: { ...schedule, startAt: iso(at - MINUTE) } })).nextFireAt).toBe(at - MINUTE);
    expect((await edit(job, { schedule: { ...schedule, startAt: iso(at + MINUTE) } })).nextFireAt).toBe(at + MINUTE);
  });

  it('keeps its fire when its jitter is edited, and counts another delay from the end of its latest task', async () => {
    const schedule = { kind: 'after', delayMs: DELAY, startAt: iso(w.clock.now() - MINUTE) };
    const job = await w.job({ schedule });
    const endedAt = await ran(job);
    w.clock.pass(MINUTE);
    expect((await edit(job, { schedule: { ...schedule, jitterMs: 5_000 } })).nextFireAt).toBe(endedAt + DELAY);
    expect((await edit(job, { schedule: { ...schedule, delayMs: 2 * DELAY } })).nextFireAt).toBe(endedAt + 2 * DELAY);
    // Over already: at once.
    expect((await edit(job, { schedule: { ...schedule, delayMs: 1 } })).nextFireAt).toBe(w.clock.now() + 1);
  });

  it('fires no more once its time is over, and counts from its latest end when that is put off', async () => {
    const schedule = { kind: 'after', delayMs: DELAY };
    const job = await w.job({ schedule: { ...schedule, endAt: iso(w.clock.now() + DELAY) } });
    const endedAt = await ran(job);
    expect((await look(job)).nextFireAt).toBeNull();
    w.clock.pass(MINUTE);
    expect((await edit(job, { schedule: { ...schedule, endAt: iso(endedAt + 9 * DELAY) } })).nextFireAt).toBe(endedAt + DELAY);
    expect((await edit(job, { schedule: { ...schedule, endAt: iso(endedAt + DELAY - 1) } })).nextFireAt).toBeNull();
  });

  it('left without a fire by whoever ended its task goes on from that end', async () => {
    const job = await w.job({ schedule: { kind: 'after', delayMs: DELAY } });
    const endedAt = await ran(job);
    await w.backends.dialect.root.run('UPDATE jobs SET next_fire_at = NULL WHERE id = ?', [job.id]);
    w.clock.pass(MINUTE);
    expect((await look(job)).nextFireAt).toBe(endedAt + DELAY);
  });
});
