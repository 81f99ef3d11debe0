import { PartitionStore } from '../../src/dispatch/partition.store.js';
import { PartitionsService } from '../../src/dispatch/partitions.service.js';
import { HandMovedClock } from '../support/hand-moved-clock.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

describe.each(ADAPTERS)('a partition whose epoch a worker says it has seen surpassed (%s)', (adapter) => {
  let database: FreshDatabase;
  let partitions: PartitionsService;
  const clock = new HandMovedClock();
  beforeAll(async () => {
    database = await freshDatabase(adapter);
    const { dialect, lease, signals, rateLimiter } = await database.open();
    partitions = new PartitionsService(dialect, new PartitionStore(dialect), lease, signals, clock, database.config, rateLimiter);
    await partitions.onApplicationBootstrap();
    await waitFor('it is held', () => partitions.epochOf(3) === 1);
  });
  afterAll(async () => {
    await partitions?.handOver();
    await database?.drop();
  });

  it('is lifted above it, and at most once a second however often the worker says so', async () => {
    await partitions.challenged(3, 1, 7);
    expect(partitions.epochOf(3)).toBe(8);
    for (let claimed = 9; claimed < 30; claimed++) await partitions.challenged(3, partitions.epochOf(3) as number, claimed);
    expect(partitions.epochOf(3)).toBe(8);
    clock.pass(1_000);
    await partitions.challenged(3, 8, 40);
    expect(partitions.epochOf(3)).toBe(41);
    expect(partitions.epochOf(4)).toBe(1);
  });
});
