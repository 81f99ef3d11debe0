import { until } from './fake-centre.js';
import { everydayHandler, keptBy, lifeStartedBy, runMany } from './many-tasks.js';
import { World } from './world.js';

describe('a worker that has done its work', () => {
  it('keeps nothing of thousands of attempts but their answers', async () => {
    const world = await World.open();
    world.centre.leaseMs = 60_000; // Centre and worker share this busy process.
    try {
      const worker = world.worker({ slots: 50, queue: 200 }).handle('echo', everydayHandler);
      const life = await lifeStartedBy(() => worker.start());
      await runMany(world, 4000);
      const empty = () => Object.values(keptBy(life)).every((count) => count === 0);
      await until('all is acknowledged and told', empty).catch(() => undefined);
      expect(keptBy(life)).toEqual(Object.fromEntries(Object.keys(keptBy(life)).map((name) => [name, 0])));
    } finally {
      await world.close();
    }
  }, 60_000);
});
