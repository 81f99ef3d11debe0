import { Worker } from 'bullmq';
import type { TaskMark } from '../run-ledger.js';
import { serveWorker } from '../worker-commands.js';

export interface BullWorkerSettings {
  redisPort: number;
  queue: string;
  concurrency: number;
}

/**
 * The BullMQ worker: a handler that does nothing. `completed` is emitted after Redis has answered the script that moves the job to
 * its completed set, so with appendfsync always the result is on disk by then.
 */
serveWorker<BullWorkerSettings>(async ({ redisPort, queue, concurrency }, ledger) => {
  const worker = new Worker<TaskMark>(
    queue,
    async (job) => {
      ledger.started(job.data);
    },
    { connection: { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }, concurrency },
  );
  worker.on('completed', (job) => ledger.completed(job.data));
  worker.on('error', (error) => process.stderr.write(`BullMQ worker: ${error.message}\n`));
  await worker.waitUntilReady();
  return () => worker.close(true);
});
