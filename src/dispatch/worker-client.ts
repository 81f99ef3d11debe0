import { randomBytes } from 'node:crypto';
import { type CancelAnswer, type CancelOrder, type CancelRequest, type RunAnswer, signedHeaders } from '@evenkeel/sdk/contract';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { type ProbeReply, type WorkerAddress, WorkerProbe } from '../registry/worker-probe.js';
import { type ParsedAnswer, parseCancelAnswer, parseHealthAnswer, parseRunAnswer, type TaskLease } from './worker-answers.js';
import { type Exchange, exchange } from './worker-exchange.js';
import { WorkerKeys } from './worker-keys.js';
import { WorkerPools } from './worker-pools.js';

export type WorkerReply<Answer> =
  | { kind: 'answered'; answer: Answer }
  /** No address took the connection: nothing was sent *now*. Proves that the worker does not have an order only on its first send. */
  | { kind: 'refused_connection' }
  /** The worker said that it will never take such a request: wrong key, no such route, too large. */
  | { kind: 'definite'; status: 401 | 404 | 413 }
  /** The worker's clock, or the centre's, has jumped: it refused the signature's instant, and learns the time with its next beat. */
  | { kind: 'clocks_apart' }
  /** It may have the order or not. */
  | { kind: 'ambiguous'; cause: string };
export type RunReply = WorkerReply<RunAnswer>;
export type CancelReply = WorkerReply<CancelAnswer>;

const DEFINITE: readonly number[] = [401, 404, 413];
const CANCEL_TIMEOUT_MS = 5000;

interface Call {
  method: 'GET' | 'POST';
  route: '/run' | '/cancel' | '/health';
  body?: string;
  timeoutMs: number;
}

/**
 * The only caller of workers. Nothing the network or the worker does makes it throw; every way an exchange can end is one of the
 * kinds of a reply. A worker's next URL is asked only if the connection to the one before was refused.
 */
@Injectable()
export class WorkerClient extends WorkerProbe implements OnApplicationShutdown {
  private readonly pools: WorkerPools;
  private readonly bases = new Map<string, { origin: string; path: string }>();

  constructor(
    private readonly keys: WorkerKeys,
    private readonly clock: Clock,
  ) {
    super();
    this.pools = new WorkerPools(() => clock.monotonic());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pools.close();
  }

  /** `body` is the JSON text of a RunRequest for these tasks. */
  async run(worker: WorkerAddress, body: string, tasks: readonly TaskLease[], timeoutMs: number): Promise<RunReply> {
    const heard = await this.call(worker, { method: 'POST', route: '/run', body, timeoutMs });
    return replyOf(heard, (answer) => parseRunAnswer(answer, tasks));
  }

  async cancel(worker: WorkerAddress, orders: CancelOrder[], timeoutMs = CANCEL_TIMEOUT_MS): Promise<CancelReply> {
    const request: CancelRequest = { tasks: orders };
    const heard = await this.call(worker, { method: 'POST', route: '/cancel', body: JSON.stringify(request), timeoutMs });
    return replyOf(heard, (body) => parseCancelAnswer(body, orders));
  }

  override async health(worker: WorkerAddress, timeoutMs: number): Promise<ProbeReply> {
    const heard = await this.call(worker, { method: 'GET', route: '/health', timeoutMs });
    if (heard.kind === 'not_asked') return heard;
    const reply = replyOf(heard, parseHealthAnswer);
    if (reply.kind === 'answered') return { kind: 'answered', health: reply.answer };
    return { kind: 'silent', cause: reply.kind === 'ambiguous' ? reply.cause : reply.kind };
  }

  private async call(worker: WorkerAddress, call: Call): Promise<Exchange | { kind: 'not_asked'; cause: string }> {
    let secret: string | null;
    try {
      secret = await this.keys.secretOf(worker.accessKey);
    } catch (error) {
      return { kind: 'not_asked', cause: `the worker key could not be read: ${error instanceof Error ? error.message : error}` };
    }
    if (secret === null) return { kind: 'ambiguous', cause: 'the worker key is not active' };
    const endsAt = this.clock.monotonic() + call.timeoutMs;
    for (const url of worker.offer.urls) {
      const { origin, path } = this.baseOf(url);
      const timeoutMs = endsAt - this.clock.monotonic();
      if (timeoutMs <= 0) return { kind: 'ambiguous', cause: `no answer within ${call.timeoutMs} ms` };
      const headers = this.headers(worker.accessKey, secret, call, path + call.route);
      const heard = await exchange(this.pools.of(origin), {
        ...call,
        path: path + call.route,
        headers,
        body: call.body,
        timeoutMs,
      });
      if (heard.kind !== 'refused') return heard;
    }
    return { kind: 'refused' };
  }

  private headers(accessKey: string, secret: string, { method, body = '' }: Call, target: string): Record<string, string> {
    const timestamp = String(Math.floor(this.clock.now() / 1000));
    const nonce = randomBytes(16).toString('base64url');
    const headers = signedHeaders({ accessKey, timestamp, nonce, method, target, body }, secret);
    if (method === 'POST') headers['content-type'] = 'application/json';
    return headers;
  }

  private baseOf(url: string): { origin: string; path: string } {
    let base = this.bases.get(url);
    if (!base) {
      const { origin, pathname } = new URL(url);
      base = { origin, path: pathname.replace(/\/+$/, '') };
      if (this.bases.size > 10_000) this.bases.clear();
      this.bases.set(url, base);
    }
    return base;
  }
}

function replyOf<T>(
  heard: Exchange | { kind: 'not_asked'; cause: string },
  parse: (body: string) => ParsedAnswer<T>,
): WorkerReply<T> {
  if (heard.kind === 'refused') return { kind: 'refused_connection' };
  if (heard.kind !== 'status') return { kind: 'ambiguous', cause: heard.cause };
  if (heard.status === 401 && codeOf(heard.body) === 'timestamp_out_of_range') return { kind: 'clocks_apart' };
  if (DEFINITE.includes(heard.status)) return { kind: 'definite', status: heard.status as 401 | 404 | 413 };
  if (heard.status !== 200) return { kind: 'ambiguous', cause: `status ${heard.status}` };
  const parsed = parse(heard.body);
  return 'wrong' in parsed ? { kind: 'ambiguous', cause: parsed.wrong } : { kind: 'answered', answer: parsed.answer };
}

function codeOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}
