import type { AttemptContext } from '../src/worker/index.js';
import { WorkerLife } from '../src/worker/worker-life.js';
import { order, until } from './fake-centre.js';
import type { World } from './world.js';

const BATCH = 200;

/** Tasks of every kind an everyday worker sees, in batches, until each result has arrived. Forgets what the centre noted meanwhile. */
export async function runMany(world: World, tasks: number): Promise<void> {
  const { centre } = world;
  for (let sent = 0; sent < tasks; sent += BATCH) {
    const orders = Array.from({ length: BATCH }, (_, n) =>
      order({ params: sent + n, priority: 1 + (n % 10), timeoutMs: 60_000 }),
    );
    const { results } = await centre.run(orders);
    const accepted = results.filter(({ outcome }) => outcome === 'accepted').length;
    if (accepted !== BATCH) throw new Error(`accepted ${accepted} of ${BATCH}: ${JSON.stringify(results[0])}`);
    await until('the batch has ended', () => centre.results.length === BATCH);
    const { results: unknown } = await centre.run([order({ handler: 'other' })]);
    if (unknown[0]?.outcome !== 'unknown_handler') throw new Error(`an unknown handler is answered ${unknown[0]?.outcome}`);
    for (const list of [
      centre.beats,
      centre.resultRequests,
      centre.resultSenders,
      centre.resultFigures,
      centre.logRequests,
      centre.calls,
    ])
      list.length = 0;
    world.log.length = 0;
  }
}

export function everydayHandler(input: unknown, ctx: AttemptContext): unknown {
  const n = input as number;
  ctx.progress(0.5);
  if (n % 10 === 0) ctx.log.info('every tenth', { n });
  if (n % 20 === 0) ctx.checkpoint({ n });
  if (n % 7 === 0) throw new Error(`fails ${n}`);
  return ctx.signal.aborted ? null : { n };
}

/** The life of a worker that is started while `work` goes on. A worker shows it to nobody: it holds the secret. */
export async function lifeStartedBy(work: () => Promise<unknown>): Promise<WorkerLife> {
  const started = jest.spyOn(WorkerLife.prototype, 'start');
  await work();
  const life = started.mock.contexts.at(-1) as WorkerLife;
  started.mockRestore();
  return life;
}

/** What the worker keeps for attempts at this moment, by its parts. */
export function keptBy(life: WorkerLife): Record<string, number> {
  // biome-ignore lint/suspicious/noExplicitAny: what is private is just what this looks at
  const { table, executor, reporter, journal, beats, logs } = life as any;
  const queued = [...executor.lanes.values()]
    .flatMap(({ queue }) => queue.lanes)
    .reduce((sum, { items }) => sum + items.length, 0);
  const limits = new Set([...executor.lanes.keys()].flat()) as Set<{ running: number; waiting: number }>;
  return {
    attempts: [...table.all()].length,
    running: executor.running.size,
    queued,
    counted: [...limits].reduce((sum, { running, waiting }) => sum + running + waiting, 0),
    results: reporter.pending.length + reporter.fresh.length + reporter.held,
    backlogBytes: reporter.backlogBytes,
    unacknowledged: journal.unacknowledged.size,
    beats: beats.told.size + beats.dirty.size,
    logBytes: logs.buffer.bytes,
  };
}
