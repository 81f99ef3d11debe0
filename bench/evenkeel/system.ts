import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Child } from '../child.js';
import { sleep } from '../monotonic.js';
import type { Ports } from '../ports.js';
import type { ServerProcess } from '../server-process.js';
import type { Services } from '../services.js';
import { type Ended, SETTLE_MS, type System, type Target } from '../system.js';
import type { WorkerCommands } from '../worker-commands.js';
import { startCentre } from './centre.js';
import { setUp } from './set-up.js';
import { TaskTable } from './task-table.js';
import type { EvenkeelWorkerSettings } from './worker.js';

/** Evenkeel in cluster mode: database, Redis, one centre and one worker, each a process of its own. */
export class EvenkeelSystem implements System {
  readonly name = 'evenkeel';
  private succeededBefore = 0;

  private constructor(
    readonly target: Target,
    private readonly centre: ServerProcess,
    private readonly worker: Child<WorkerCommands<EvenkeelWorkerSettings>>,
    private readonly table: TaskTable,
    /** What the database is, for the report. */
    readonly database: string,
    readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(services: Services, ports: Ports, slots: number): Promise<EvenkeelSystem> {
    const databaseUrl = await services.database();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      REDIS_URL: await services.redisOfTheCentre(),
      EK_KEKS: JSON.stringify({ bench: randomBytes(32).toString('base64') }),
      EK_KEK_CURRENT: 'bench',
      DATA_DIR: services.makeFolder('centre'),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    };
    const { group, app, worker: workerKey } = setUp(env, slots);
    const port = await ports.take();
    const centre = await startCentre({ port, env, logFile: join(services.folder, 'centre.log') });
    const worker = new Child<WorkerCommands<EvenkeelWorkerSettings>>('evenkeel worker', join(__dirname, 'worker.js'));
    try {
      const origin = `http://127.0.0.1:${port}`;
      const dataDir = services.makeFolder('worker');
      const { accessKey: key, secret } = workerKey;
      await worker.ask('start', { centre: origin, key, secret, group, slots, port: await ports.take(), dataDir });
      const table = await TaskTable.open(databaseUrl, group);
      const target = { origin, accessKey: app.accessKey, secret: app.secret };
      return new EvenkeelSystem(target, centre, worker, table, await table.server(), env);
    } catch (error) {
      await worker.stop();
      await centre.stop();
      throw error;
    }
  }

  async begin(run: string, tasks: number): Promise<void> {
    this.succeededBefore = await this.table.succeeded();
    await this.worker.ask('begin', { run, tasks });
  }

  async ended(withinMs: number): Promise<Ended> {
    await this.worker.ask('whole', { withinMs });
    const durableAt = await this.table.whenNoneOpen(withinMs);
    await sleep(SETTLE_MS);
    const account = await this.worker.ask('account', null);
    return { ...account, durableAt, recorded: (await this.table.succeeded()) - this.succeededBefore };
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.centre.stop();
    await this.table.close();
  }
}
