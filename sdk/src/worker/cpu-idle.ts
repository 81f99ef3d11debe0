import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { monotonicMs } from './shared-clock.js';

const WINDOW_MS = 60_000;

/** Processor time since some start: what was used and what there was to use, in the same unit. */
export interface CpuReading {
  used: number;
  capacity: number;
}
interface Sample extends CpuReading {
  at: number;
}

/** Percent of the processor this worker may use that was idle over the last minute: the container's share if it has one. */
export class CpuIdle {
  private readonly samples: Sample[] = [];

  constructor(
    private readonly read: () => CpuReading = readCpu,
    private readonly now: () => number = monotonicMs,
  ) {
    this.sample();
  }

  /** Call it regularly: each call takes a sample. */
  get percent(): number {
    const latest = this.sample();
    while ((this.samples[1]?.at ?? Number.POSITIVE_INFINITY) <= latest.at - WINDOW_MS) this.samples.shift();
    const first = this.samples[0] as Sample;
    const capacity = latest.capacity - first.capacity;
    if (capacity <= 0) return 100;
    const idle = 100 * (1 - (latest.used - first.used) / capacity);
    return Math.round(Math.min(100, Math.max(0, idle)) * 10) / 10;
  }

  private sample(): Sample {
    const sample = { at: this.now(), ...this.read() };
    this.samples.push(sample);
    return sample;
  }
}

function readCpu(): CpuReading {
  return containerCpu() ?? machineCpu();
}

/** cgroup v2 with a quota; undefined otherwise. Microseconds. */
function containerCpu(): CpuReading | undefined {
  try {
    const [quota, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').trim().split(' ').map(Number);
    if (!quota || !period) return undefined;
    const usage = /^usage_usec (\d+)$/m.exec(readFileSync('/sys/fs/cgroup/cpu.stat', 'utf8'));
    if (usage === null) return undefined;
    return { used: Number(usage[1]), capacity: monotonicMs() * 1000 * (quota / period) };
  } catch {
    return undefined; // no cgroup v2 here: the machine's figures serve
  }
}

function machineCpu(): CpuReading {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { used: total - idle, capacity: total };
}
