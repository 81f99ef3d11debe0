import { randomBytes } from 'node:crypto';
import type { Child } from './child.js';
import { Scale } from './evenkeel/scale.js';
import type { LoadCommands } from './load-generator.js';
import type { FigureName, Options } from './options.js';
import { quantile } from './statistics.js';
import type { Ended, System } from './system.js';

/** Named values of one run. Rates per second, times in milliseconds. */
export type Values = Record<string, number>;

export interface Bench {
  load: Child<LoadCommands>;
  options: Options;
}

const BATCH_ITEMS = 100;
const IDLE_PAUSE_MS = 20;
const LOAD_PER_SECOND = 200;
const FIRST_DELAY_MS = 1_500;
/** Prime, so that the instants spread over every phase of any tick. */
const DELAY_STEP_MS = 97;
const RUN_LIMIT_MS = 120_000;
/** Beside what the filling of the table may take. */
const BURST_IN_MS = 25_000;
const SEED_JOB_MS = 2;

/** A task was lost or ran twice: the run shows a fault, whatever its speed. */
export class FaultyRun extends Error {}

/** Each figure: one run against one system. */
export const RUN_FIGURE: Readonly<Record<FigureName, (bench: Bench, system: System) => Promise<Values>>> = {
  /** From the first submit to the last durable result, tasks in batches of 100. */
  batch: (bench, system) => throughput(bench, system, bench.options.batchTasks, BATCH_ITEMS, bench.options.batchWindow),
  /** The same, each task in a request of its own. */
  single: (bench, system) => throughput(bench, system, bench.options.singleTasks, 1, bench.options.singleWindow),
  /** Nothing else to do: from before the request is signed to the first line of the handler. */
  idle: async ({ load, options }, system) => {
    const tasks = options.idleTasks;
    const run = await begun(system, 'idle', tasks);
    const { sentAt, tookMs } = await load.ask('oneByOne', { target: system.target, run, tasks, pauseMs: IDLE_PAUSE_MS });
    return latencies(sentAt, tookMs, await whole(system, tasks));
  },
  /** The same beside a steady stream of single submits. */
  load: async ({ load, options }, system) => {
    const tasks = options.loadSeconds * LOAD_PER_SECOND;
    const run = await begun(system, 'load', tasks);
    const { sentAt, tookMs } = await load.ask('steady', { target: system.target, run, tasks, perSecond: LOAD_PER_SECOND });
    return latencies(sentAt, tookMs, await whole(system, tasks));
  },
  /** How late tasks with `runAt` start, the instants known to the system at least a second before. */
  delayed: async ({ load, options }, system) => {
    const tasks = options.delayedTasks;
    const run = await begun(system, 'delayed', tasks);
    const first = Date.now() + FIRST_DELAY_MS;
    const runAt = Array.from({ length: tasks }, (_, i) => first + i * DELAY_STEP_MS);
    const due = await load.ask('delayed', { target: system.target, run, runAt });
    const { startedAt } = await whole(system, tasks);
    const late = startedAt.map((at, i) => at - (due[i] as number));
    // One clock is read in milliseconds: a start up to one before its instant is on time.
    if (quantile(late, 0) < -1.5) throw new FaultyRun(`a task started ${(-quantile(late, 0)).toFixed(1)} ms before its runAt`);
    return { lateP50: quantile(late, 0.5), lateP99: quantile(late, 0.99), lateMax: quantile(late, 1) };
  },
  /** Many cron jobs, a tenth of them due in one second: how late they fire, and what single submits notice while the jobs are read. */
  'cron-burst': (bench, system) =>
    onScale(system, async (scale) => {
      const { cronJobs, cronFiring } = bench.options;
      const at = Math.ceil((Date.now() + BURST_IN_MS + cronJobs * SEED_JOB_MS) / 1000) * 1000;
      await scale.seedCronJobs(cronJobs, cronFiring, at);
      const { startP50, startP99 } = await RUN_FIGURE.idle(bench, system);
      const { late, doubled } = await scale.burst(cronFiring, at, at - Date.now() + RUN_LIMIT_MS);
      if (late.length !== cronFiring || doubled > 0)
        throw new FaultyRun(`of ${cronFiring} jobs due in one second ${late.length} tasks were made, ${doubled} of them doubled`);
      const values = { fireP50: quantile(late, 0.5), fireP99: quantile(late, 0.99), fireMax: quantile(late, 1) };
      return { ...values, startP50: startP50 as number, startP99: startP99 as number };
    }),
  /** The statements of a tick with many pending tasks against the same with few. */
  'tick-cost': ({ options }, system) =>
    onScale(system, async (scale) => {
      const few = await scale.tickCost(options.tickPending.few);
      const many = await scale.tickCost(options.tickPending.many);
      return { tickFewMs: few, tickManyMs: many, tickRatio: many / few };
    }),
};

async function onScale(system: System, work: (scale: Scale) => Promise<Values>): Promise<Values> {
  const scale = await Scale.open(system.env as NodeJS.ProcessEnv);
  try {
    return await work(scale);
  } finally {
    await scale.clear();
    await scale.close();
  }
}

/**
 * Before anything counts: open connections, warm buffers and compiled code on every side. A server runs for weeks, and its code is
 * compiled after some ten thousand requests; a shorter warm-up measures the interpreter.
 */
export async function warmUp({ load, options }: Bench, system: System): Promise<void> {
  const { target } = system;
  for (const [tasks, perRequest, window] of [
    [options.warmUpTasks, BATCH_ITEMS, options.batchWindow],
    [Math.ceil(options.warmUpTasks / 2), 1, options.singleWindow],
  ] as const) {
    const run = await begun(system, 'warm', tasks);
    await load.ask('flood', { target, run, tasks, perRequest, window });
    await whole(system, tasks);
  }
}

async function throughput({ load }: Bench, system: System, tasks: number, perRequest: number, window: number): Promise<Values> {
  const run = await begun(system, perRequest === 1 ? 'single' : 'batch', tasks);
  const { sentAt, tookMs } = await load.ask('flood', { target: system.target, run, tasks, perRequest, window });
  const { durableAt } = await whole(system, tasks);
  const from = quantile(sentAt, 0);
  const answeredAt = quantile(
    sentAt.map((at, i) => at + (tookMs[i] as number)),
    1,
  );
  return {
    perSecond: (tasks * 1000) / (durableAt - from),
    acceptedPerSecond: (tasks * 1000) / (answeredAt - from),
    submitP50: quantile(tookMs, 0.5),
    submitP95: quantile(tookMs, 0.95),
    submitP99: quantile(tookMs, 0.99),
  };
}

function latencies(sentAt: Float64Array, tookMs: Float64Array, { startedAt }: Ended): Values {
  const start = startedAt.map((at, i) => at - (sentAt[i] as number));
  return {
    startP50: quantile(start, 0.5),
    startP99: quantile(start, 0.99),
    submitP50: quantile(tookMs, 0.5),
    submitP95: quantile(tookMs, 0.95),
    submitP99: quantile(tookMs, 0.99),
  };
}

async function begun(system: System, figure: string, tasks: number): Promise<string> {
  const run = `${figure}-${randomBytes(4).toString('hex')}`;
  await system.begin(run, tasks);
  return run;
}

/** Waits for the end and compares the counts of worker and system with what was submitted. */
async function whole(system: System, tasks: number): Promise<Ended> {
  const ended = await system.ended(RUN_LIMIT_MS);
  const lost = ended.startedAt.filter((at) => Number.isNaN(at)).length;
  const { completed, recorded, repeatedStarts, strays, durableAt } = ended;
  const sound = lost === 0 && repeatedStarts === 0 && strays === 0 && completed === tasks && recorded === tasks;
  if (!sound || Number.isNaN(durableAt)) {
    const unended = Number.isNaN(durableAt) ? ', not all ended in time' : '';
    const counts = `${completed} completed, ${recorded} recorded, ${lost} never started${unended}`;
    throw new FaultyRun(`of ${tasks} tasks ${counts}; ${repeatedStarts} starts repeated, ${strays} starts of other runs' tasks`);
  }
  return ended;
}
