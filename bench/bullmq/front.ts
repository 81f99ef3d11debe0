import type { BatchAnswer, SubmitTask, TaskReceipt } from '@evenkeel/sdk/contract';
import { type JobsOptions, Queue } from 'bullmq';
import { type FastifyRequest, fastify } from 'fastify';
import { Redis } from 'ioredis';
import { answerParent } from '../child.js';
import { Refused, verifySigned } from './signed-front.js';

export interface FrontSettings {
  port: number;
  redisPort: number;
  queue: string;
  accessKey: string;
  secret: string;
}
export type FrontCommands = {
  start: (settings: FrontSettings) => Promise<void>;
  /** Jobs in the completed set, and in every other together. */
  counts: (nothing: null) => Promise<{ completed: number; open: number }>;
};

const BATCH_BYTES = 4 * 1024 * 1024;
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
const KNOWN = new Set(['handler', 'params', 'clientRequestId', 'runAt']);

let queue: Queue;
let close: () => Promise<unknown> = async () => undefined;

/**
 * BullMQ behind the front Evenkeel's partners see: raw Fastify, the same signature, the same bodies and receipts, answered after
 * Redis has answered. The request id is the job id, so that a repeated submit does not make a second job, as with Evenkeel.
 */
async function start({ port, redisPort, queue: name, accessKey, secret }: FrontSettings): Promise<void> {
  const connection = { host: '127.0.0.1', port: redisPort };
  const nonces = new Redis(connection);
  const secrets = new Map([[accessKey, secret]]);
  queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: false } });
  const app = fastify({ logger: false, bodyLimit: BATCH_BYTES });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    const refused = error instanceof Refused ? error : new Refused(500, String(error));
    reply.code(refused.status).send({ code: refused.code });
  });
  const verified = async (request: FastifyRequest): Promise<unknown> => {
    const body = request.body as Buffer;
    await verifySigned(request, body, secrets, nonces);
    return JSON.parse(body.toString('utf8'));
  };
  app.post('/openapi/v1/tasks', async (request, reply) => {
    const task = checked(await verified(request));
    await queue.add(task.handler, task.params, optionsOf(task));
    reply.code(202);
    return receiptOf(task);
  });
  app.post('/openapi/v1/tasks/batch', async (request, reply): Promise<BatchAnswer> => {
    const { items } = (await verified(request)) as { items: unknown };
    if (!Array.isArray(items) || items.length === 0 || items.length > 500) throw new Refused(400, 'validation_failed');
    const tasks = items.map(checked);
    await queue.addBulk(tasks.map((task) => ({ name: task.handler, data: task.params, opts: optionsOf(task) })));
    reply.code(202);
    return {
      summary: { accepted: tasks.length, replayed: 0, rejected: 0 },
      results: tasks.map((task, index) => ({
        index,
        clientRequestId: task.clientRequestId,
        outcome: 'accepted',
        task: receiptOf(task),
      })),
    };
  });
  await queue.waitUntilReady();
  await app.listen({ port, host: '127.0.0.1' });
  close = async () => {
    await app.close();
    await queue.close();
    nonces.disconnect();
  };
}

type Checked = SubmitTask & { clientRequestId: string };

function checked(value: unknown): Checked {
  const task = value as Partial<Checked>;
  const sound =
    typeof value === 'object' &&
    value !== null &&
    typeof task.handler === 'string' &&
    task.handler.length > 0 &&
    task.handler.length <= 255 &&
    typeof task.clientRequestId === 'string' &&
    REQUEST_ID.test(task.clientRequestId) &&
    (task.runAt === undefined || !Number.isNaN(Date.parse(task.runAt))) &&
    Object.keys(value).every((field) => KNOWN.has(field));
  if (!sound) throw new Refused(400, 'validation_failed');
  return task as Checked;
}

function optionsOf({ clientRequestId, runAt }: Checked): JobsOptions {
  return runAt === undefined
    ? { jobId: clientRequestId }
    : { jobId: clientRequestId, delay: Math.max(0, Date.parse(runAt) - Date.now()) };
}

function receiptOf({ clientRequestId, handler, runAt }: Checked): TaskReceipt {
  const createdAt = new Date().toISOString();
  const status = runAt === undefined ? 'PENDING' : 'SCHEDULED';
  return { id: clientRequestId, clientRequestId, handler, group: 'bench', status, dueAt: runAt ?? createdAt, createdAt };
}

const commands: FrontCommands = {
  start,
  counts: async () => {
    const { completed = 0, ...others } = await queue.getJobCounts();
    return { completed, open: Object.values(others).reduce((sum, each) => sum + each, 0) };
  },
};
answerParent(commands, () => close());
