import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AttemptResult,
  canonicalString,
  EK1_WINDOW_SECONDS,
  type FieldError,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  LIMITS,
  type RegisterRequest,
  signatureMatches,
} from '@evenkeel/sdk/contract';
import { checkDeregister, checkHeartbeat, checkRegister, checkResults } from '../../registry/check-message.js';

/** Short, so that a check of liveness takes seconds. */
export const HEARTBEAT_MS = 500;
export const LEASE_MS = 3000;
/** The centre's clock is ahead of this machine's by more than the window: a worker that signs by its own clock is found out. */
export const CLOCK_AHEAD_MS = 20 * 60_000;

type Route = 'register' | 'heartbeat' | 'results' | 'logs' | 'deregister';
const ROUTES: readonly Route[] = ['register', 'heartbeat', 'results', 'logs', 'deregister'];
/** `unknown`: as a centre that has lost its database. */
type Mood = 'serve' | 'silent' | 'unavailable' | 'unknown' | 'no_acks';

interface Answer {
  status: number;
  body: unknown;
}
export interface Noted<T> {
  at: number;
  body: T;
}

/** A centre for one worker, on loopback. It serves as the real one does unless told otherwise, and keeps what it saw and what was wrong. */
export class CheckCentre {
  readonly registrations: Noted<RegisterRequest>[] = [];
  readonly beats: Noted<HeartbeatRequest>[] = [];
  readonly results: Noted<AttemptResult>[] = [];
  readonly deregistrations: Noted<unknown>[] = [];
  /** Sentences about messages that broke a rule; the first of each kind. */
  readonly wrong = new Map<string, string>();
  readonly mood: Record<Route, Mood> = {
    register: 'serve',
    heartbeat: 'serve',
    results: 'serve',
    logs: 'serve',
    deregister: 'serve',
  };
  nextAnswer: Partial<HeartbeatAnswer> = {};
  epochs: Record<string, number> = {};
  private readonly server: Server;
  private ownClock = 0;

  constructor(readonly key: { accessKey: string; secret: string }) {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.receive(request, Buffer.concat(chunks), response));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  now(): number {
    return Date.now() + CLOCK_AHEAD_MS;
  }

  get worker(): RegisterRequest | undefined {
    return this.registrations.at(-1)?.body;
  }

  resultsOf(taskId: string): AttemptResult[] {
    return this.results.filter(({ body }) => body.taskId === taskId).map(({ body }) => body);
  }

  private receive(request: IncomingMessage, bytes: Buffer, response: ServerResponse): void {
    const answer = this.answerTo(request, bytes);
    if (answer !== undefined) reply(response, answer);
  }

  /** undefined: no answer at all. */
  private answerTo(request: IncomingMessage, bytes: Buffer): Answer | undefined {
    const route = ROUTES.find((each) => request.url === `/worker/v1/${each}`);
    if (route === undefined || request.method !== 'POST') {
      this.note('route', `it asked for ${request.method} ${request.url}; there are only POST /worker/v1/{${ROUTES.join(', ')}}`);
      return { status: 404, body: { code: 'not_found', title: 'no such route' } };
    }
    if (!this.admits(route, request, bytes))
      return { status: 401, body: { code: 'auth_failed', title: 'auth failed', serverTime: this.now() } };
    if (bytes.length > LIMITS.channelRequestBytes)
      this.note(`${route} size`, `${route}: a request of ${bytes.length} bytes; the limit is ${LIMITS.channelRequestBytes}`);
    const mood = this.mood[route];
    if (mood === 'silent') return undefined;
    if (mood === 'unavailable') return { status: 503, body: { code: 'service_unavailable', title: 'away' } };
    if (mood === 'unknown') return { status: 404, body: { code: 'not_found', title: 'no such worker' } };
    try {
      return this.serve(route, JSON.parse(bytes.toString('utf8')), mood);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.note(`${route} json`, `${route}: the body is not JSON`);
      return { status: 400, body: { code: 'invalid_json', title: 'not JSON' } };
    }
  }

  private serve(route: Route, body: unknown, mood: Mood): Answer {
    const at = performance.now();
    const refuse = (errors: FieldError[]): Answer => {
      for (const { pointer, message } of errors) this.note(`${route} ${pointer}`, `${route}: ${pointer || '/'} ${message}`);
      return { status: 400, body: { code: 'validation_failed', title: 'validation failed', errors } };
    };
    if (route === 'register') {
      const { message, errors } = checkRegister(body);
      if (message === null) return refuse(errors);
      this.registrations.push({ at, body: message });
      for (const result of message.unreported) this.results.push({ at, body: result });
      const answer = { heartbeatMs: HEARTBEAT_MS, leaseMs: LEASE_MS, serverTime: this.now(), epochs: this.epochs };
      return { status: 200, body: { ...answer, acks: acksOf(message.unreported) } };
    }
    if (route === 'heartbeat') {
      const { message, errors } = checkHeartbeat(body);
      if (message === null) return refuse(errors);
      this.beats.push({ at, body: message });
      const answer = {
        serverTime: this.now(),
        leaseMs: LEASE_MS,
        epochs: this.epochs,
        cancel: [],
        abandon: [],
        ...this.nextAnswer,
      };
      this.nextAnswer = {};
      return { status: 200, body: answer };
    }
    if (route === 'results') {
      const { message, errors } = checkResults(body);
      if (message === null) return refuse(errors);
      for (const result of message.results) this.results.push({ at, body: result });
      return { status: 200, body: { acks: mood === 'no_acks' ? [] : acksOf(message.results) } };
    }
    if (route === 'logs') return { status: 200, body: { refused: [] } };
    const { message, errors } = checkDeregister(body);
    if (message === null) return refuse(errors);
    this.deregistrations.push({ at, body: message });
    return { status: 200, body: {} };
  }

  /** A request that is signed well but by the worker's own clock is found fault with once and let in, so that the rest can be checked. */
  private admits(route: Route, request: IncomingMessage, body: Buffer): boolean {
    const header = (name: string) => String(request.headers[`x-ek-${name}`] ?? '');
    const timestamp = header('timestamp');
    const parts = {
      accessKey: header('access-key'),
      timestamp,
      nonce: header('nonce'),
      method: 'POST',
      target: request.url ?? '',
      body,
    };
    const canonical = canonicalString(parts);
    if (!/^[A-Za-z0-9_-]{16,64}$/.test(parts.nonce))
      this.note('nonce', `${route}: X-EK-Nonce is not 16 to 64 of A-Z a-z 0-9 _ -`);
    if (parts.accessKey !== this.key.accessKey || !signatureMatches(this.key.secret, canonical, header('signature'))) {
      const seen = canonical.replaceAll('\n', '\\n');
      this.note('signature', `${route}: the signature is wrong; for this request HMAC-SHA256 has to be taken of "${seen}"`);
      return false;
    }
    if (Math.abs(Number(timestamp) - this.now() / 1000) <= EK1_WINDOW_SECONDS) return true;
    if (++this.ownClock <= 3) return false;
    this.note('clock', `${route}: it signs by its own clock although the 401 told it the centre's (serverTime)`);
    return true;
  }

  private note(kind: string, sentence: string): void {
    if (!this.wrong.has(kind)) this.wrong.set(kind, sentence);
  }
}

function acksOf(results: AttemptResult[]): unknown[] {
  return results.map(({ taskId, lease }) => ({ taskId, lease, verdict: 'applied' }));
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
  response.end(JSON.stringify(body));
}
