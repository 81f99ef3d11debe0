import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { CallTrace } from '../decisions/wire-record.js';
import { CallFailed } from './call-failed.js';
import { GuardedConnector, since, type Targets } from './guarded-connector.js';

export interface CallLimits {
  /** Name, TCP and TLS together. */
  connectMs: number;
  /** From the connection to the answer's headers. */
  headersMs: number;
  /** Everything, the body included. */
  totalMs: number;
  /** What is read of the answer; then the socket is destroyed. */
  bodyBytes: number;
  headerBytes: number;
}
export const CALLBACK_LIMITS: CallLimits = {
  connectMs: 3_000,
  headersMs: 5_000,
  totalMs: 10_000,
  bodyBytes: 16 * 1024,
  headerBytes: 16 * 1024,
};

export interface GuardedCall {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
  limits?: CallLimits;
  /** Who asks goes by the status: an answer whose body breaks off, or does not end in time, is one all the same. */
  statusSuffices?: boolean;
  /** Filled in as the call goes on, however it ends. */
  trace?: CallTrace;
}
export interface GuardedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** There was, or should have been, more of it than what was read. */
  truncated: boolean;
}

/**
 * HTTP/1.1 calls to targets that somebody else chose. A connection of its own for each call, so that no socket outlives a change of
 * the policy; no redirect is followed, nothing is decompressed, no proxy of the environment is used, no cookie is kept. Whatever the
 * other side does, a call ends at its total deadline and holds no more than its limits.
 */
export class GuardedHttp {
  private readonly connector: GuardedConnector;

  constructor(targets: Targets) {
    this.connector = new GuardedConnector(targets);
  }

  /** Rejects with CallFailed. An abort by the caller's own signal is told as its reason. */
  async call(call: GuardedCall): Promise<GuardedAnswer> {
    const limits = call.limits ?? CALLBACK_LIMITS;
    const total = AbortSignal.timeout(limits.totalMs);
    const signal = call.signal ? AbortSignal.any([total, call.signal]) : total;
    try {
      if (call.signal?.aborted) throw call.signal.reason;
      const socket = await this.connector.connect(call.url, limits.connectMs, signal, call.trace);
      return await exchange(call, socket, limits, signal);
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      throw error;
    }
  }

  /** Whether the name leads, at this moment, only where calls may go. Rejects with CallFailed. */
  async check(url: URL): Promise<void> {
    await this.connector.addressesOf(url.hostname, Number(url.port || (url.protocol === 'https:' ? 443 : 80)));
  }
}

function exchange(call: GuardedCall, socket: Socket, limits: CallLimits, signal: AbortSignal): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const { url, method, body, trace = {} } = call;
    const request: ClientRequest = plainRequest({
      // Without an agent: one would open a connection of its own.
      createConnection: () => socket,
      setHost: false,
      method,
      path: `${url.pathname}${url.search}`,
      maxHeaderSize: limits.headerBytes,
      headers: {
        host: url.host,
        'accept-encoding': 'identity',
        ...call.headers,
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    });
    const headersTimer = setTimeout(() => fail(new CallFailed('timeout', 'no answer in time')), limits.headersMs);
    const late = () => broken(new CallFailed('timeout', 'no complete answer in time'));
    const settle = (finish: () => void) => {
      clearTimeout(headersTimer);
      signal.removeEventListener('abort', late);
      finish();
      request.destroy();
      socket.destroy();
    };
    const fail = (error: CallFailed) => settle(() => reject(error));
    const broken = (error: CallFailed) => (received && call.statusSuffices ? answer(received, true) : fail(error));
    let received: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const answer = (response: IncomingMessage, truncated: boolean) =>
      settle(() =>
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          body: Buffer.concat(chunks).subarray(0, limits.bodyBytes),
          truncated,
        }),
      );
    signal.addEventListener('abort', late, { once: true });
    if (signal.aborted) return late();
    request.on('error', (error: NodeJS.ErrnoException) => {
      // Bytes after a complete answer spoil nothing.
      if (received?.complete) return answer(received, false);
      broken(new CallFailed(error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'http', error.code ?? 'not HTTP', error));
    });
    request.on('close', () => received ?? fail(new CallFailed('http', 'closed without an answer')));
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      // Node's parser takes any number for a status.
      if (statusCode < 100 || statusCode > 599) return fail(new CallFailed('http', 'no status of HTTP'));
      received = response;
      trace.firstByteMs = since(began);
      clearTimeout(headersTimer);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > limits.bodyBytes) answer(response, true);
      });
      response.on('end', () => answer(response, false));
      response.on('error', (error: NodeJS.ErrnoException) =>
        broken(new CallFailed('http', error.code ?? 'broken answer', error)),
      );
    });
    trace.sent = true;
    const began = performance.now();
    request.end(body);
  });
}
