import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Child } from '../child.js';
import { sleep } from '../monotonic.js';
import type { Ports } from '../ports.js';
import type { Services } from '../services.js';
import { type Ended, SETTLE_MS, type System, type Target } from '../system.js';
import type { WorkerCommands } from '../worker-commands.js';
import type { FrontCommands } from './front.js';
import type { BullWorkerSettings } from './worker.js';

const QUEUE = 'bench';

/** BullMQ: its Redis, the signed front and one worker, each a process of its own. */
export class BullSystem implements System {
  private tasks = 0;
  private completedBefore = 0;

  private constructor(
    readonly name: 'bullmq-aof' | 'bullmq-none',
    readonly target: Target,
    private readonly front: Child<FrontCommands>,
    private readonly worker: Child<WorkerCommands<BullWorkerSettings>>,
  ) {}

  static async start(
    name: 'bullmq-aof' | 'bullmq-none',
    services: Services,
    ports: Ports,
    concurrency: number,
  ): Promise<BullSystem> {
    const redisPort = await services.redis(name === 'bullmq-aof' ? 'always' : 'none');
    const port = await ports.take();
    const accessKey = `ak_test_${randomBytes(10).toString('hex')}`;
    const secret = `sk_test_${randomBytes(32).toString('hex')}`;
    const front = new Child<FrontCommands>(`${name} front`, join(__dirname, 'front.js'));
    const worker = new Child<WorkerCommands<BullWorkerSettings>>(`${name} worker`, join(__dirname, 'worker.js'));
    const system = new BullSystem(name, { origin: `http://127.0.0.1:${port}`, accessKey, secret }, front, worker);
    try {
      await front.ask('start', { port, redisPort, queue: QUEUE, accessKey, secret });
      await worker.ask('start', { redisPort, queue: QUEUE, concurrency });
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  async begin(run: string, tasks: number): Promise<void> {
    this.tasks = tasks;
    this.completedBefore = (await this.front.ask('counts', null)).completed;
    await this.worker.ask('begin', { run, tasks });
  }

  async ended(withinMs: number): Promise<Ended> {
    await this.worker.ask('whole', { withinMs });
    await sleep(SETTLE_MS);
    const account = await this.worker.ask('account', null);
    const { completed } = await this.front.ask('counts', null);
    const durableAt = account.completed >= this.tasks ? account.lastCompletedAt : Number.NaN;
    return { ...account, durableAt, recorded: completed - this.completedBefore };
  }

  async stop(): Promise<void> {
    await Promise.all([this.worker.stop(), this.front.stop()]);
  }
}
