import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { everydayHandler, runMany } from './many-tasks.js';
import { World } from './world.js';

const ROUNDS = 5;
const TASKS = 20_000;
/** What the remembered answers of a round may take (about 100 bytes each), and noise. */
const GROWTH_BYTES = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe('memory', () => {
  it(`is flat over ${ROUNDS * TASKS} tasks`, async () => {
    const world = await World.open();
    world.centre.leaseMs = 60_000; // Centre and worker share this busy process.
    try {
      const worker = world.worker({ slots: 50, queue: 200 }).handle('echo', everydayHandler);
      await worker.start();
      const heaps: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await runMany(world, TASKS);
        heaps.push(heapBytes());
      }
      process.stdout.write(
        `heap after each ${TASKS} tasks, MiB: ${heaps.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ')}\n`,
      );
      for (let round = 1; round < ROUNDS; round++)
        expect((heaps[round] as number) - (heaps[round - 1] as number)).toBeLessThan(GROWTH_BYTES);
    } finally {
      await world.close();
    }
  }, 900_000);
});
