import { FiresService } from '../../src/dispatch/fires.service.js';
import type { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { Planner } from '../../src/dispatch/planner.js';
import type { Job } from '../../src/jobs/job.js';
import { JobNews } from '../../src/jobs/job-news.js';
import { JobWorld } from '../support/job-world.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { APP } from '../support/task-world.js';

const MINUTE = 60_000;

describe.each(ADAPTERS)('the planner of a node (%s)', (adapter) => {
  let database: FreshDatabase;
  let w: JobWorld;
  let planner: Planner;
  let taken: () => void;
  let held: boolean;
  let rounds: jest.SpyInstance;
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    w = await JobWorld.create(database);
    held = true;
    const partitions = {
      node: 'n1',
      held: () => (held ? Array.from({ length: 16 }, (_, i) => i) : []),
      epochOf: () => (held ? 1 : undefined),
      onTaken: (listener: () => void) => {
        taken = listener;
      },
    } as unknown as PartitionsService;
    const { dialect, signals } = w.backends;
    rounds = jest.spyOn(w.fires, 'fire');
    planner = new Planner(
      dialect,
      w.world.jobs,
      w.fires,
      w.replacements,
      w.world.lifecycle,
      partitions,
      w.clock,
      w.world.news,
      new JobNews(signals),
    );
  });
  afterAll(() => database?.drop());
  beforeEach(() => rounds.mockClear());

  const made = async (jobs: readonly Job[]) => (await Promise.all(jobs.map(({ id }) => w.tasksOf(id)))).flat();
  const jobsOf = (count: number) =>
    Promise.all(Array.from({ length: count }, () => w.job({ schedule: { kind: 'every', everyMs: MINUTE } })));
  const passTo = async (at: number) => {
    // As the tick does, at least every second and when the wheel says so.
    while (w.clock.now() < at) {
      w.clock.pass(Math.max(1, Math.min(planner.nextInMs() || 1_000, 1_000, at - w.clock.now())));
      await planner.fireDue();
    }
  };

  it('fires at the very millisecond, never before', async () => {
    const [job] = (await jobsOf(1)) as [Job];
    const at = job.nextFireAt as number;
    await planner.fireDue();
    await passTo(at - 1);
    expect(await made([job])).toEqual([]);
    await passTo(at);
    expect(await made([job])).toMatchObject([{ fireAt: at, createdAt: at }]);
    await passTo(at + MINUTE);
    expect((await made([job])).map(({ createdAt }) => createdAt)).toEqual([at, at + MINUTE]);
  });

  it('fires many at once in transactions of at most 500', async () => {
    const jobs = await jobsOf(750);
    await passTo(jobs[0]?.nextFireAt as number);
    const sizes = rounds.mock.calls.map(([, ids]) => ids.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    // News that is heard only after the fire leads to a round that finds nothing due.
    expect(sizes.length).toBeLessThan(10);
    expect(await made(jobs)).toHaveLength(750);
  });

  it('lets the rest of the tick have its turn when firing takes long, and goes on in the next', async () => {
    const jobs = await jobsOf(600);
    await passTo((jobs[0]?.nextFireAt as number) - 1);
    w.clock.pass(1);
    rounds.mockImplementation((...asked) => {
      w.clock.pass(1_000);
      return FiresService.prototype.fire.apply(w.fires, asked as never);
    });
    await planner.fireDue();
    rounds.mockRestore();
    rounds = jest.spyOn(w.fires, 'fire');
    const some = await made(jobs);
    expect(some.length).toBeLessThan(600);
    expect(planner.nextInMs()).toBe(0);
    await planner.fireDue();
    expect(await made(jobs)).toHaveLength(600);
  }, 60_000);

  it('goes on at once with what a round left out', async () => {
    const every = { schedule: { kind: 'every', everyMs: 1_000 }, misfire: 'fire_all' } as const;
    const jobs = await Promise.all(Array.from({ length: 15 }, () => w.job(every)));
    await planner.fireDue();
    w.clock.pass((jobs[0]?.nextFireAt as number) - w.clock.now() + 99_000);
    await planner.fireDue();
    expect(rounds.mock.calls.length).toBeGreaterThan(1);
    for (const { id } of jobs) {
      const tasks = await w.tasksOf(id);
      expect(tasks).toHaveLength(100);
      await w.service.pause(APP, id, null);
    }
  });

  it('looks again in time at what it took a moment too early, when the time was corrected back meanwhile', async () => {
    const [job] = (await jobsOf(1)) as [Job];
    const at = job.nextFireAt as number;
    await passTo(at - 1);
    w.clock.pass(1);
    rounds.mockImplementationOnce((...asked) => {
      w.clock.jump(-3);
      return FiresService.prototype.fire.apply(w.fires, asked as never);
    });
    await planner.fireDue();
    expect(await made([job])).toEqual([]);
    expect(planner.nextInMs()).toBeLessThanOrEqual(3);
    w.clock.pass(3);
    await planner.fireDue();
    expect(await made([job])).toMatchObject([{ fireAt: at, createdAt: at }]);
  });

  it('hears of a new job that fires before it would look again', async () => {
    await planner.fireDue();
    const sooner = new Promise<void>((resolve) => planner.onSooner(resolve));
    const job = await w.job({ schedule: { kind: 'once', at: new Date(w.clock.now() + 50).toISOString() } });
    await sooner;
    expect(planner.nextInMs()).toBeLessThanOrEqual(50);
    w.clock.pass(50);
    await planner.fireDue();
    expect(await made([job])).toHaveLength(1);
  });

  it('leaves jobs alone while it does not hold their partition, and reads them anew when it does', async () => {
    const job = await w.job({ schedule: { kind: 'once', at: new Date(w.clock.now() + 1_000).toISOString() } });
    held = false;
    w.clock.pass(2_000);
    await planner.fireDue();
    expect(await made([job])).toEqual([]);
    held = true;
    taken();
    await planner.fireDue();
    expect(await made([job])).toHaveLength(1);
  });

  it('goes on after the database refused a round', async () => {
    const job = await w.job({ schedule: { kind: 'once', at: new Date(w.clock.now() + 1_000).toISOString() } });
    rounds.mockRejectedValueOnce(new Error('away'));
    w.clock.pass(1_000);
    taken();
    await planner.fireDue();
    expect(await made([job])).toEqual([]);
    w.clock.pass(1_000);
    await planner.fireDue();
    expect(await made([job])).toHaveLength(1);
  });
});
