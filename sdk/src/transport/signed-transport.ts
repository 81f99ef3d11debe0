import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { signedHeaders } from '../contract/index.js';
import { TransportError } from './transport-error.js';

export interface TransportOptions {
  accessKey: string;
  secret: string;
  /** Epoch milliseconds by the centre's clock, as well as it is known. */
  now: () => number;
  /** Connections kept per host. */
  maxSockets?: number;
  /** Longest answer read at all. */
  maxAnswerBytes: number;
  userAgent: string;
}
export interface SignedRequest {
  base: URL;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query below the base. */
  target: string;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal;
}
export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/**
 * One signed exchange over kept-alive connections. A fresh nonce for each try. Follows no redirect, reads no proxy variable.
 * Resolves with any HTTP answer; rejects with TransportError, or with the signal's reason.
 */
export class SignedTransport {
  private readonly plain: http.Agent;
  private readonly secure: https.Agent;

  /** With the secret: no log that prints this object shows it. */
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    const agent = { keepAlive: true, maxSockets: options.maxSockets ?? 8, scheduling: 'lifo' as const };
    this.plain = new http.Agent(agent);
    this.secure = new https.Agent(agent);
  }

  /** A kept-alive socket the other side has just closed fails without having been read: sent once more, on another socket. */
  async request(request: SignedRequest): Promise<Answer> {
    try {
      return await this.exchange(request);
    } catch (error) {
      if (!(error instanceof StaleSocket)) throw error;
      return this.exchange(request).catch((second) => {
        throw second instanceof StaleSocket ? new TransportError('broken', second.message, { cause: second.cause }) : second;
      });
    }
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  private exchange({ base, method, target, body = '', timeoutMs, signal }: SignedRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const path = (base.pathname === '/' ? '' : base.pathname.replace(/\/$/, '')) + target;
      const timestamp = String(Math.floor(this.#options.now() / 1000));
      const parts = { accessKey: this.#options.accessKey, timestamp, nonce: randomUUID(), method, target: path, body };
      const headers: http.OutgoingHttpHeaders = signedHeaders(parts, this.#options.secret);
      headers['user-agent'] = this.#options.userAgent;
      headers.accept = 'application/json';
      if (body !== '') headers['content-type'] = 'application/json';
      if (method === 'POST' || method === 'PUT') headers['content-length'] = Buffer.byteLength(body);
      const secure = base.protocol === 'https:';
      const request = (secure ? https : http).request({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? undefined : base.port,
        method,
        path,
        headers,
        agent: secure ? this.secure : this.plain,
      });
      let answered = false;
      const timer = setTimeout(() => {
        finish(() => reject(new TransportError('silent', `no answer from ${base.origin} within ${timeoutMs} ms`)));
      }, timeoutMs);
      const onAbort = () => finish(() => reject(signal?.reason));
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle();
        request.destroy();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      request.on('error', (error: NodeJS.ErrnoException) => finish(() => reject(this.explain(error, request, base, answered))));
      request.on('response', (response) => {
        answered = true;
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > this.#options.maxAnswerBytes) {
            finish(() => reject(new TransportError('broken', `the answer of ${base.origin} is too large`)));
          } else chunks.push(chunk);
        });
        response.on('end', () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole });
        });
        response.on('error', (error) => finish(() => reject(new TransportError('broken', error.message, { cause: error }))));
      });
      request.end(body);
    });
  }

  private explain(error: NodeJS.ErrnoException, request: http.ClientRequest, base: URL, answered: boolean): Error {
    const message = `${base.origin}: ${error.code ?? error.message}`;
    if (isRefusal(error)) return new TransportError('refused', message, { cause: error });
    if (!answered && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
      return new StaleSocket(message, { cause: error });
    }
    return new TransportError('broken', message, { cause: error });
  }
}

class StaleSocket extends Error {}

/** A name with several addresses fails as an aggregate: a refusal only if every address refused. */
function isRefusal(error: NodeJS.ErrnoException): boolean {
  const all: unknown = (error as unknown as AggregateError).errors;
  if (Array.isArray(all) && all.length > 0) return all.every((each: NodeJS.ErrnoException) => each.code === 'ECONNREFUSED');
  return error.code === 'ECONNREFUSED';
}
