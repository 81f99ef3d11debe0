import { createWorker, jsonLogger } from '@evenkeel/sdk/worker';
import type { TaskMark } from '../run-ledger.js';
import { serveWorker } from '../worker-commands.js';

export interface EvenkeelWorkerSettings {
  centre: string;
  key: string;
  secret: string;
  group: string;
  slots: number;
  port: number;
  dataDir: string;
}

/**
 * The Evenkeel worker: the SDK as a job author uses it, journal on disk included, with a handler that does nothing but be counted.
 * Its `completed` is the end of the handler, before the result is even reported: whether results are durable is asked of the
 * database (task-table.ts).
 */
serveWorker<EvenkeelWorkerSettings>(async ({ centre, key, secret, group, slots, port, dataDir }, ledger) => {
  const worker = createWorker({
    centre,
    key,
    secret,
    workerId: 'bench-worker',
    groups: [group],
    host: '127.0.0.1',
    port,
    slots,
    dataDir,
    logger: jsonLogger('warn'),
  }).handle<TaskMark>('bench', (mark) => {
    ledger.started(mark);
    ledger.completed(mark);
  });
  await worker.start();
  return () => worker.stop();
});
