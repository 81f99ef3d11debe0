import { availableParallelism, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { SYSTEM_NAMES, type SystemName } from './system.js';

/** What is measured unless `--only` says otherwise. */
const USUAL = ['batch', 'single', 'idle', 'load', 'delayed'] as const;
/** Of Evenkeel alone, on tables filled for it: only when asked for, since the filling takes minutes. */
export const SCENARIOS = ['cron-burst', 'tick-cost'] as const;
export const FIGURES = [...USUAL, ...SCENARIOS] as const;
export type FigureName = (typeof FIGURES)[number];

export interface Options {
  figures: FigureName[];
  systems: SystemName[];
  rounds: number;
  json: boolean;
  quick: boolean;
  batchTasks: number;
  batchWindow: number;
  singleTasks: number;
  singleWindow: number;
  /** Tasks in batches, and half as many single ones, before anything counts. */
  warmUpTasks: number;
  idleTasks: number;
  loadSeconds: number;
  delayedTasks: number;
  /** Pending tasks at which a tick is measured, and to which it is compared. */
  tickPending: { few: number; many: number };
  cronJobs: number;
  /** Of those, how many fire in one second. */
  cronFiring: number;
  /** Evenkeel's group quota and worker slots. */
  slots: number;
  /** Of BullMQ's worker; see the help for why it is not `slots`. */
  bullConcurrency: number;
  ports: { from: number; to: number } | undefined;
  folder: string;
}

export const HELP = `npm run bench -- [options]

  --quick              one short round; for a look, not for a claim
  --only a,b           of ${FIGURES.join(', ')};
                       ${SCENARIOS.join(' and ')} run only when named
  --systems a,b        of ${SYSTEM_NAMES.join(', ')}
  --rounds n           default 3; the systems take turns in each
  --batch-tasks n      default 20000, in requests of 100
  --batch-window n     unanswered batch requests, default 8
  --single-tasks n     default 8000
  --single-window n    unanswered single requests, default 256
  --warm-up-tasks n    tasks before anything counts, and half as many single ones, default 20000
  --slots n            Evenkeel's group quota and worker slots, default 2000
  --bullmq-concurrency n
                       default 50. A BullMQ worker fetches one job per round trip until it holds as many as this, and
                       with AOF always each round trip waits for a sync: at 2000 it is several times slower than at 50
  --ports a-b          take ports from this range only
  --folder path        parent of the temporary folder; must be on a real disk (default ${tmpdir()})
  --json               the whole report as JSON on stdout

TEST_DATABASE_URL and TEST_REDIS_URL replace the private servers of Evenkeel; BullMQ always gets its own.
`;

/** Throws an Error that names the option. */
export function readOptions(args: string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      help: flag,
      quick: flag,
      json: flag,
      only: text,
      systems: text,
      rounds: text,
      ports: text,
      folder: text,
      slots: text,
      'bullmq-concurrency': text,
      'batch-tasks': text,
      'batch-window': text,
      'single-tasks': text,
      'single-window': text,
      'warm-up-tasks': text,
    },
  });
  if (values.help) return 'help';
  const { quick, json } = values;
  return {
    quick,
    json,
    figures: values.only === undefined ? [...USUAL] : listOf('only', values.only, FIGURES),
    systems: listOf('systems', values.systems, SYSTEM_NAMES),
    rounds: count('rounds', values.rounds, quick ? 1 : 3),
    batchTasks: count('batch-tasks', values['batch-tasks'], quick ? 5000 : 20_000),
    batchWindow: count('batch-window', values['batch-window'], 8),
    singleTasks: count('single-tasks', values['single-tasks'], quick ? 2000 : 8000),
    singleWindow: count('single-window', values['single-window'], 256),
    warmUpTasks: count('warm-up-tasks', values['warm-up-tasks'], quick ? 4000 : 20_000),
    idleTasks: quick ? 50 : 200,
    loadSeconds: quick ? 3 : 10,
    delayedTasks: quick ? 20 : 50,
    tickPending: quick ? { few: 10_000, many: 100_000 } : { few: 10_000, many: 1_000_000 },
    cronJobs: quick ? 2_000 : 20_000,
    cronFiring: quick ? 200 : 2_000,
    slots: count('slots', values.slots, 2000),
    bullConcurrency: count('bullmq-concurrency', values['bullmq-concurrency'], 50),
    ports: values.ports === undefined ? undefined : portRange(values.ports),
    folder: values.folder ?? tmpdir(),
  };
}

export const cores = availableParallelism();
export const machine = `${cores} cores, Node ${process.versions.node}, ${process.platform}`;

function listOf<T extends string>(option: string, given: string | undefined, known: readonly T[]): T[] {
  if (given === undefined) return [...known];
  const names = given.split(',');
  const unknown = names.find((name) => !known.includes(name as T));
  if (unknown !== undefined) throw new Error(`--${option}: ${unknown} is none of ${known.join(', ')}`);
  return known.filter((name) => names.includes(name));
}

function count(option: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new Error(`--${option}: must be a whole number from 1`);
  return Number(given);
}

function portRange(given: string): { from: number; to: number } {
  const [, from, to] = /^(\d{1,5})-(\d{1,5})$/.exec(given) ?? [];
  if (from === undefined || to === undefined || Number(from) > Number(to))
    throw new Error('--ports: must be a range such as 24500-24599');
  return { from: Number(from), to: Number(to) };
}
