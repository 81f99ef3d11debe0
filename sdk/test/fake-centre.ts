import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AttemptResult,
  canonicalString,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  type LogLine,
  type LogsAnswer,
  type LogsRequest,
  type RegisterRequest,
  type ResultAck,
  type ResultsRequest,
  type ResultVerdict,
  type RunAnswer,
  type RunRequest,
  signatureMatches,
  signedHeaders,
  type TaskOrder,
} from '../src/contract/index.js';

export const KEY = 'wk_test0123456789abcdef';
export const SECRET = 'ws_only-for-these-tests';

/** How the centre answers a call: with a body, with a status, or not at all. */
export type Behaviour = 'serve' | 'silent' | { status: number; body?: unknown };

/** A centre written by hand: real sockets, real signatures, and every call remembered. */
export class FakeCentre {
  readonly registrations: RegisterRequest[] = [];
  readonly beats: HeartbeatRequest[] = [];
  readonly resultRequests: AttemptResult[][] = [];
  readonly resultSenders: { workerId: string; incarnation: string }[] = [];
  readonly resultFigures: ResultsRequest['figures'][] = [];
  readonly deregistrations: unknown[] = [];
  readonly logRequests: LogLine[][] = [];
  /** Every call as it came, by its route. */
  readonly calls: string[] = [];
  readonly badSignatures: string[] = [];
  behaviour: Record<'register' | 'heartbeat' | 'results' | 'logs' | 'deregister', Behaviour> = {
    register: 'serve',
    heartbeat: 'serve',
    results: 'serve',
    logs: 'serve',
    deregister: 'serve',
  };
  heartbeatMs = 100;
  /** Long: the worker and its centre share a process that may have no time for either. What is about silence says less. */
  leaseMs = 20_000;
  clockOffsetMs = 0;
  epochs: Record<string, number> = {};
  verdict: (result: AttemptResult) => ResultVerdict | undefined = () => 'applied';
  /** A request with such a result is answered 400. */
  refuses: (result: AttemptResult) => boolean = () => false;
  nextAnswer: Partial<HeartbeatAnswer> = {};
  refusedLogs: LogsAnswer['refused'] = [];
  private held: Promise<void> | undefined;
  private server: Server = this.create();
  private nonce = 0;
  port = 0;

  async listen(port = 0): Promise<this> {
    this.server = this.create();
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  get now(): number {
    return Date.now() + this.clockOffsetMs;
  }
  get results(): AttemptResult[] {
    return this.resultRequests.flat();
  }
  get lines(): LogLine[] {
    return this.logRequests.flat();
  }
  linesOf(taskId: string): LogLine[] {
    return this.lines.filter((line) => line.taskId === taskId);
  }
  get worker(): RegisterRequest {
    const last = this.registrations.at(-1);
    if (last === undefined) throw new Error('nobody has registered');
    return last;
  }
  resultOf(taskId: string): AttemptResult | undefined {
    return this.results.find((each) => each.taskId === taskId);
  }

  run(tasks: TaskOrder[], change: Partial<RunRequest> = {}): Promise<RunAnswer> {
    const { workerId, incarnation } = this.worker;
    const body: RunRequest = { partition: 3, epoch: 1, workerId, incarnation, tasks, ...change };
    return this.send('POST', '/run', body).then(({ json }) => json as RunAnswer);
  }

  /** A signed request to the worker. */
  send(
    method: string,
    target: string,
    body: unknown = '',
    change: { secret?: string; headers?: Record<string, string | undefined>; skewSeconds?: number } = {},
  ): Promise<{ status: number; json: unknown }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const timestamp = String(Math.floor(this.now / 1000) + (change.skewSeconds ?? 0));
    const nonce = `n-${String(this.nonce++).padStart(20, '0')}`;
    const parts = { accessKey: KEY, timestamp, nonce, method, target, body: text };
    const headers: Record<string, string> = {
      ...signedHeaders(parts, change.secret ?? SECRET),
      'content-length': String(Buffer.byteLength(text)),
    };
    for (const [name, value] of Object.entries(change.headers ?? {})) {
      if (value === undefined) delete headers[name];
      else headers[name] = value;
    }
    return exchange(new URL(this.worker.urls[0] as string), method, target, headers, text);
  }

  private create(): Server {
    return createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => this.answer(request, Buffer.concat(chunks), response));
    });
  }

  private answer(request: IncomingMessage, bytes: Buffer, response: ServerResponse): void {
    const call = (request.url ?? '').replace('/worker/v1/', '') as keyof FakeCentre['behaviour'];
    if (!this.isSigned(request, bytes)) {
      this.badSignatures.push(call);
      reply(response, 401, { code: 'auth_failed', title: 'auth failed', serverTime: this.now });
      return;
    }
    this.calls.push(call);
    const behaviour = this.behaviour[call];
    if (behaviour === 'silent') return;
    if (behaviour !== 'serve') {
      reply(response, behaviour.status, behaviour.body ?? { code: 'service_unavailable', title: 'away' });
      return;
    }
    const body = JSON.parse(bytes.toString('utf8'));
    if (call === 'results' && body.results.some(this.refuses)) {
      reply(response, 400, { code: 'validation_failed', title: 'validation failed', detail: 'a result is wrong' });
      return;
    }
    const answer = this[`on_${call}`](body);
    const held = call === 'results' ? this.held : undefined;
    if (held === undefined) reply(response, 200, answer);
    else held.then(() => reply(response, 200, answer));
  }

  /** Result requests are taken but not answered until the returned function is called. */
  holdResults(): () => void {
    let release: () => void = () => undefined;
    this.held = new Promise((resolve) => {
      release = () => {
        this.held = undefined;
        resolve();
      };
    });
    return release;
  }

  private isSigned(request: IncomingMessage, body: Buffer): boolean {
    const header = (name: string) => String(request.headers[`x-ek-${name}`]);
    const timestamp = header('timestamp');
    if (Math.abs(Number(timestamp) - Math.floor(this.now / 1000)) > 300) return false;
    const parts = { accessKey: header('access-key'), timestamp, nonce: header('nonce') };
    const canonical = canonicalString({ ...parts, method: request.method ?? '', target: request.url ?? '', body });
    return parts.accessKey === KEY && signatureMatches(SECRET, canonical, header('signature'));
  }

  private on_register(body: RegisterRequest): unknown {
    this.registrations.push(body);
    const { heartbeatMs, leaseMs, epochs } = this;
    return { heartbeatMs, leaseMs, serverTime: this.now, epochs, acks: this.acksOf(body.unreported) };
  }
  private on_heartbeat(body: HeartbeatRequest): unknown {
    this.beats.push(body);
    const answer = {
      serverTime: this.now,
      leaseMs: this.leaseMs,
      epochs: this.epochs,
      cancel: [],
      abandon: [],
      ...this.nextAnswer,
    };
    this.nextAnswer = {};
    return answer;
  }
  private on_results(body: ResultsRequest): unknown {
    this.resultSenders.push({ workerId: body.workerId, incarnation: body.incarnation });
    this.resultRequests.push(body.results);
    this.resultFigures.push(body.figures);
    return { acks: this.acksOf(body.results) };
  }
  private on_logs(body: LogsRequest): LogsAnswer {
    this.logRequests.push(body.lines);
    return { refused: this.refusedLogs };
  }
  private on_deregister(body: unknown): unknown {
    this.deregistrations.push(body);
    return {};
  }
  private acksOf(results: AttemptResult[]): ResultAck[] {
    return results.flatMap((each) => {
      const verdict = this.verdict(each);
      return verdict === undefined ? [] : [{ taskId: each.taskId, lease: each.lease, verdict }];
    });
  }
}

let count = 0;
export function order(change: Partial<TaskOrder> = {}): TaskOrder {
  const taskId = change.taskId ?? `task_${String(++count).padStart(26, '0')}`;
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const common = {
    lease: 2,
    attempt: 1,
    handler: 'echo',
    params: null,
    priority: 5,
    timeoutMs: 60_000,
    scheduledAt: 1_700_000_000_000,
  };
  return { taskId, ...common, idempotencyKey: taskId, traceparent, ...change };
}

export async function until<T>(what: string, look: () => T | undefined | false, withinMs = 40_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function exchange(
  base: URL,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; json: unknown }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname: base.hostname, port: base.port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
