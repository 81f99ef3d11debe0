import { loadavg } from 'node:os';
import { join } from 'node:path';
import { BullSystem } from './bullmq/system.js';
import { Child } from './child.js';
import { EvenkeelSystem } from './evenkeel/system.js';
import { type Bench, RUN_FIGURE, warmUp } from './figures.js';
import type { LoadCommands } from './load-generator.js';
import { sleep } from './monotonic.js';
import { cores, type FigureName, HELP, machine, type Options, readOptions, SCENARIOS } from './options.js';
import { Ports } from './ports.js';
import { type Failure, type Measurement, makeReport, printed } from './report.js';
import { Services } from './services.js';
import type { System, SystemName } from './system.js';

/**
 * Measures Evenkeel against BullMQ behind the same signed front, everything on this machine, in turns. What it does not show: more
 * than one node or worker, a network, handlers that do work, or a table grown for days. Absolute figures belong to the machine and
 * to what else it is doing; the ratios are formed between neighbours in time. Exit code 1 only if a run itself failed.
 */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const ports = new Ports(options.ports);
  const services = new Services(ports, options.folder);
  const load = new Child<LoadCommands>('load generator', join(__dirname, 'load-generator.js'));
  const systems: System[] = [];
  const failures: Failure[] = [];
  const close = once(async () => {
    await load.stop();
    await Promise.all(systems.map((system) => system.stop()));
    await services.close();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => close().finally(() => process.exit(130)));
  }
  try {
    const conditions = { machine, cores, loadBefore: loadavg()[0] ?? Number.NaN, syncCostMs: services.syncCostMs() };
    const bench: Bench = { load, options };
    for (const name of options.systems) {
      await attempt(failures, `start of ${name}`, async () => {
        say(`${name}: starting and warming up`);
        const system = await startSystem(name, services, ports, options);
        systems.push(system);
        await warmUp(bench, system);
      });
    }
    const measurements = await runAll(bench, systems, failures);
    const ours = systems.find((system) => system instanceof EvenkeelSystem);
    const report = makeReport({ ...conditions, database: ours?.database ?? null }, measurements, failures);
    process.stdout.write(`${options.json ? JSON.stringify({ options, ...report }, null, 2) : printed(report)}\n`);
  } finally {
    await close();
  }
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Rounds × figures × systems; each round begins with another system, so that none always runs on what the first left behind. */
async function runAll(bench: Bench, systems: System[], failures: Failure[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const figure of bench.options.figures) {
      for (const system of rotated(contenders(figure, systems), round - 1)) {
        const what = `round ${round}, ${figure}, ${system.name}`;
        await attempt(failures, what, async () => {
          const values = await RUN_FIGURE[figure](bench, system);
          measurements.push({ figure, system: system.name, round, values });
          say(`${what}: ${told(values)}`);
        });
        await sleep(500);
      }
    }
  }
  return measurements;
}

function startSystem(name: SystemName, services: Services, ports: Ports, { slots, bullConcurrency }: Options): Promise<System> {
  if (name === 'evenkeel') return EvenkeelSystem.start(services, ports, slots);
  return BullSystem.start(name, services, ports, bullConcurrency);
}

/** Latency is compared with the durable BullMQ only; nothing is promised against it. */
function contenders(figure: FigureName, systems: System[]): System[] {
  if ((SCENARIOS as readonly FigureName[]).includes(figure)) return systems.filter(({ env }) => env !== undefined);
  const throughput = figure === 'batch' || figure === 'single';
  return throughput ? systems : systems.filter(({ name }) => name !== 'bullmq-none');
}

async function attempt(failures: Failure[], what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    failures.push({ what, why });
    say(`${what} FAILED: ${why}`);
  }
}

const rotated = <T>(list: T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length] as T);

const told = (values: Record<string, number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value.toFixed(value > 1000 ? 0 : 1)}`)
    .join(', ');

const say = (line: string): boolean => process.stderr.write(`${line}\n`);

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
});
