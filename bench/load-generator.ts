import { randomUUID } from 'node:crypto';
import { type BatchAnswer, signedHeaders } from '@evenkeel/sdk/contract';
import { Pool } from 'undici';
import { answerParent } from './child.js';
import { monotonicMs, monotonicOf, sleep } from './monotonic.js';
import type { Target } from './system.js';

interface Run {
  target: Target;
  run: string;
  tasks: number;
}
/** What the generator saw of its requests, by number of the request. */
export interface Submitted {
  /** Monotonic instant before the request was signed and written. */
  sentAt: Float64Array;
  /** Milliseconds from `sentAt` to the whole answer. */
  tookMs: Float64Array;
}

export type LoadCommands = {
  /** All tasks as fast as the window of unanswered requests allows; `perRequest` 1 uses single submits, more uses batches. */
  flood: (flood: Run & { perRequest: number; window: number }) => Promise<Submitted>;
  /** One single submit at a time, `pauseMs` after the answer to the one before. */
  oneByOne: (paced: Run & { pauseMs: number }) => Promise<Submitted>;
  /** Single submits at a steady rate whatever the answers do. A send the generator itself is late with counts from when it left. */
  steady: (steady: Run & { perSecond: number }) => Promise<Submitted>;
  /** One task per instant (`runAt`), all submitted now. Returns the instants on the monotonic clock. */
  delayed: (delayed: Omit<Run, 'tasks'> & { runAt: number[] }) => Promise<Float64Array>;
};

const MOST_CONNECTIONS = 512;
const pools = new Map<string, Pool>();

const commands: LoadCommands = {
  flood: async ({ target, run, tasks, perRequest, window }) => {
    const requests = Math.ceil(tasks / perRequest);
    const seen = emptySubmitted(requests);
    let next = 0;
    const lane = async () => {
      for (let i = next++; i < requests; i = next++) {
        const indexes = range(i * perRequest, Math.min(tasks, (i + 1) * perRequest));
        await timed(seen, i, () => (perRequest === 1 ? submit(target, run, i) : submitBatch(target, run, indexes)));
      }
    };
    await Promise.all(Array.from({ length: window }, lane));
    return seen;
  },
  oneByOne: async ({ target, run, tasks, pauseMs }) => {
    const seen = emptySubmitted(tasks);
    for (let i = 0; i < tasks; i++) {
      await timed(seen, i, () => submit(target, run, i));
      await sleep(pauseMs);
    }
    return seen;
  },
  steady: async ({ target, run, tasks, perSecond }) => {
    const seen = emptySubmitted(tasks);
    const from = monotonicMs();
    const answers: Promise<void>[] = [];
    for (let i = 0; i < tasks; i++) {
      const wait = from + (i * 1000) / perSecond - monotonicMs();
      if (wait > 0) await sleep(wait);
      answers.push(timed(seen, i, () => submit(target, run, i)));
    }
    await Promise.all(answers);
    return seen;
  },
  delayed: async ({ target, run, runAt }) => {
    const due = Float64Array.from(runAt, monotonicOf);
    await Promise.all(runAt.map((at, i) => submit(target, run, i, { runAt: new Date(at).toISOString() })));
    return due;
  },
};

async function submit(target: Target, run: string, index: number, more: object = {}): Promise<void> {
  await post(target, '/openapi/v1/tasks', JSON.stringify({ ...item(run, index), ...more }));
}

async function submitBatch(target: Target, run: string, indexes: number[]): Promise<void> {
  const items = indexes.map((index) => item(run, index));
  const answer = (await post(target, '/openapi/v1/tasks/batch', JSON.stringify({ items }))) as BatchAnswer;
  if (answer.summary.accepted !== items.length) throw new Error(`of ${items.length} tasks: ${JSON.stringify(answer.summary)}`);
}

const item = (run: string, index: number) => ({
  handler: 'bench',
  params: { run, index },
  clientRequestId: `${run}-${index}`,
});

/** Signs and sends; the answer is read whole and parsed. Anything but 202 fails the run. */
async function post({ origin, accessKey, secret }: Target, path: string, body: string): Promise<unknown> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = signedHeaders({ accessKey, timestamp, nonce: randomUUID(), method: 'POST', target: path, body }, secret);
  headers['content-type'] = 'application/json';
  const answer = await poolOf(origin).request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 202) throw new Error(`${path}: HTTP ${answer.statusCode} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Kept-alive connections without pipelining, as many as requests are unanswered. */
function poolOf(origin: string): Pool {
  let pool = pools.get(origin);
  if (!pool) {
    pool = new Pool(origin, { connections: MOST_CONNECTIONS, pipelining: 1, keepAliveTimeout: 60_000 });
    pools.set(origin, pool);
  }
  return pool;
}

async function timed(seen: Submitted, i: number, send: () => Promise<void>): Promise<void> {
  const from = monotonicMs();
  seen.sentAt[i] = from;
  await send();
  seen.tookMs[i] = monotonicMs() - from;
}

function emptySubmitted(requests: number): Submitted {
  return { sentAt: new Float64Array(requests), tookMs: new Float64Array(requests) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

answerParent(commands, () => Promise.all([...pools.values()].map((pool) => pool.destroy())));
