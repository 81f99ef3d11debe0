import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorker, type EvenkeelWorker, type Logger, type WorkerOptions } from '../src/worker/index.js';
import { FakeCentre, KEY, SECRET } from './fake-centre.js';

export interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** One centre, one data directory and the workers of a test; `close` ends them all. */
export class World {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-'));
  readonly log: LogLine[] = [];
  readonly logger: Logger = {
    debug: (message, fields = {}) => this.log.push({ level: 'debug', message, fields }),
    info: (message, fields = {}) => this.log.push({ level: 'info', message, fields }),
    warn: (message, fields = {}) => this.log.push({ level: 'warn', message, fields }),
    error: (message, fields = {}) => this.log.push({ level: 'error', message, fields }),
  };
  private readonly workers: EvenkeelWorker[] = [];
  private readonly gates: Gate[] = [];

  private constructor(readonly centre: FakeCentre) {}

  static async open(): Promise<World> {
    return new World(await new FakeCentre().listen());
  }

  worker(change: Partial<WorkerOptions> = {}): EvenkeelWorker {
    const { centre, dataDir, logger } = this;
    const worker = createWorker({
      centre: centre.url,
      key: KEY,
      secret: SECRET,
      workerId: 'w1',
      groups: ['g'],
      dataDir,
      logger,
      drainMs: 200,
      ...change,
    });
    this.workers.push(worker);
    return worker;
  }

  gate(): Gate {
    const gate = new Gate();
    this.gates.push(gate);
    return gate;
  }

  logged(message: string): LogLine | undefined {
    return this.log.find((line) => line.message === message);
  }

  async close(): Promise<void> {
    for (const gate of this.gates) gate.open();
    this.centre.behaviour = { register: 'serve', heartbeat: 'serve', results: 'serve', logs: 'serve', deregister: 'serve' };
    this.centre.verdict = () => 'applied';
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.centre.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Holds handlers until it is opened. */
export class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
