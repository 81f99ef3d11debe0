import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptContext, createWorker, jsonLogger } from '@evenkeel/sdk/worker';
import { loadClientSettings } from '../../platform/client-settings.js';
import { leaveWithParent } from '../parent-process.js';

/** What a worker of the demonstration tells its parent. */
export interface WorkerNews {
  /** Attempts that run now, and how many have begun so far. */
  active: number;
  begun: number;
}
export const DEMO_HANDLER = 'demo.work';
const TELL_MS = 200;
const SLOTS = 40;

/** Arguments: worker id, group, data folder. The centre and the key come from the environment. */
async function main([workerId, group = 'default', dataDir]: string[]): Promise<void> {
  leaveWithParent();
  const { url = '', workerKey = '', workerSecret = '' } = loadClientSettings();
  const news: WorkerNews = { active: 0, begun: 0 };
  const work = async ({ ms }: { ms: number }, ctx: AttemptContext) => {
    news.active++;
    news.begun++;
    await delay(ms, undefined, { signal: ctx.signal }).finally(() => news.active--);
  };
  const options = { centre: url, key: workerKey, secret: workerSecret, groups: [group], logger: jsonLogger('warn') };
  const worker = createWorker({ ...options, workerId, dataDir, slots: SLOTS, queue: 0 }).handle(DEMO_HANDLER, work);
  process.once('SIGTERM', () => worker.stop().then(() => process.exit(0)));
  await worker.start();
  setInterval(() => process.send?.(news), TELL_MS);
}

if (require.main === module)
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
