import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorker, type WorkerOptions } from '../src/worker/index.js';
import { FakeCentre, KEY, order, SECRET, until } from './fake-centre.js';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a worker', () => {
  let centre: FakeCentre;
  let dataDir: string;
  const options = (): WorkerOptions => ({
    centre: centre.url,
    key: KEY,
    secret: SECRET,
    workerId: 'w1',
    groups: ['default'],
    dataDir,
    logger: quiet,
  });

  beforeEach(async () => {
    centre = await new FakeCentre().listen();
    dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-'));
  });
  afterEach(async () => {
    await centre.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('registers, beats, runs an order, reports its result and leaves', async () => {
    const worker = createWorker(options()).handle('echo', (input) => input);
    await worker.start();
    const each = order({ params: { a: '你好' } });
    const answer = await centre.run([each]);
    expect(answer.results).toEqual([{ taskId: each.taskId, lease: 2, outcome: 'accepted' }]);
    const result = await until('result', () => centre.resultOf(each.taskId));
    expect(result).toMatchObject({ outcome: 'succeeded', result: { a: '你好' } });
    await until('two beats', () => centre.beats.length > 1);
    expect(centre.beats.at(-1)).toMatchObject({ workerId: 'w1', state: 'ready', attempts: [] });
    await worker.stop();
    expect(centre.deregistrations).toHaveLength(1);
    expect(centre.badSignatures).toEqual([]);
  });

  it('tells its room with each result, so that a full worker is given work again before its next beat', async () => {
    const worker = createWorker({ ...options(), slots: 1, queue: 0 }).handle('echo', (input) => input);
    await worker.start();
    const answer = await centre.run([order()]);
    expect(answer.freeSlots).toBe(0);
    const figures = await until('figures', () => centre.resultFigures.at(-1));
    expect(figures).toMatchObject({ active: 0, queued: 0, freeSlots: 1 });
    expect(figures.seq).toBeGreaterThan(answer.seq);
    await worker.stop();
  });
});
