import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CancelAnswer,
  type CancelRequest,
  type FieldError,
  type HealthAnswer,
  LIMITS,
  type Problem,
  type ProblemCode,
  type RunAnswer,
  type RunRequest,
} from '../contract/index.js';
import { FieldRefused } from './field-check.js';
import type { Logger } from './logger.js';
import { cancelRequest, runRequest } from './order-body.js';
import { claimedSignature, isSignedBy, type OrderKeys } from './order-signature.js';

export interface OrderServerPorts {
  keys: OrderKeys;
  logger: Logger;
  run: (request: RunRequest, sender: string) => RunAnswer;
  cancel: (request: CancelRequest) => CancelAnswer;
  health: () => HealthAnswer;
}

const ROUTES: Record<string, string> = { '/run': 'POST', '/cancel': 'POST', '/health': 'GET' };
const HINT_EVERY_MS = 10_000;

/** The worker's own HTTP server. Nobody without the worker key gets anything but 401 (or 404, 405, 413) out of it. */
export class OrderServer {
  private readonly server: Server;
  private hintedAt = 0;

  constructor(private readonly ports: OrderServerPorts) {
    this.server = createServer(
      { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000 },
      (request, response) => this.receive(request, response),
    );
    // Longer than the centre keeps an idle connection, so that it is never closed under an order.
    this.server.keepAliveTimeout = 120_000;
    this.server.maxConnections = 512;
  }

  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.server.on('error', (error) => this.ports.logger.error('order server failed', { error }));
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
      setTimeout(() => this.server.closeAllConnections(), 500).unref();
    });
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').split('?')[0] as string;
    const method = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    const claimed = claimedSignature(request.headers, this.ports.keys);
    if (method === undefined) refuse(request, response, 404, 'not_found', 'no such route');
    else if (request.method !== method)
      refuse(request, response, 405, 'method_not_allowed', `${path} takes ${method}`, { allow: method });
    else if (typeof claimed === 'string') this.unauthorised(request, response, claimed);
    else if (Number(request.headers['content-length'] ?? 0) > LIMITS.channelBodyBytes) tooLarge(request, response);
    else {
      this.read(request, response, (body) => {
        const signed = isSignedBy(this.ports.keys, claimed, method, request.url ?? '', body);
        if (signed) this.answer(path, body, request, response);
        else this.unauthorised(request, response, 'auth_failed');
      });
    }
  }

  private read(request: IncomingMessage, response: ServerResponse, whole: (body: Buffer) => void): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= LIMITS.channelBodyBytes) chunks.push(chunk);
      else if (!response.headersSent) tooLarge(request, response);
    });
    request.on('end', () => {
      if (!response.headersSent) whole(Buffer.concat(chunks));
    });
  }

  private answer(path: string, bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
    try {
      send(response, 200, this.outcome(path, bytes, request));
    } catch (error) {
      if (error instanceof FieldRefused) {
        this.ports.logger.warn('order refused: malformed', {
          path,
          sender: senderOf(request),
          field: error.field.pointer,
          error,
        });
        refuse(request, response, 400, 'validation_failed', error.message, {}, [error.field]);
      } else if (error instanceof SyntaxError) {
        refuse(request, response, 400, 'invalid_json', 'the body is not JSON');
      } else {
        this.ports.logger.error('order failed', { path, error });
        refuse(request, response, 500, 'internal_error', 'the worker failed on this request');
      }
    }
  }

  private outcome(path: string, bytes: Buffer, request: IncomingMessage): RunAnswer | CancelAnswer | HealthAnswer {
    if (path === '/health') return this.ports.health();
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    return path === '/run' ? this.ports.run(runRequest(body), senderOf(request)) : this.ports.cancel(cancelRequest(body));
  }

  private unauthorised(request: IncomingMessage, response: ServerResponse, code: ProblemCode): void {
    const now = Date.now();
    if (now - this.hintedAt > HINT_EVERY_MS) {
      this.hintedAt = now;
      this.ports.logger.warn('request refused: not signed with this worker key', {
        code,
        sender: senderOf(request),
        path: request.url,
      });
    }
    const headers = { 'www-authenticate': 'EK1-HMAC-SHA256 realm="worker"' };
    refuse(request, response, 401, code, 'the request is not signed with this worker key', headers);
  }
}

function senderOf(request: IncomingMessage): string {
  const name = request.headers['user-agent'];
  const from = `${request.socket.remoteAddress ?? '?'}:${request.socket.remotePort ?? '?'}`;
  return name === undefined ? from : `${from} ${name.slice(0, 100)}`;
}

function tooLarge(request: IncomingMessage, response: ServerResponse): void {
  refuse(request, response, 413, 'payload_too_large', `the body is larger than ${LIMITS.channelBodyBytes} bytes`);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: ProblemCode,
  detail: string,
  headers: Record<string, string> = {},
  errors?: FieldError[],
): void {
  const requestId = randomUUID();
  const problem: Problem = {
    type: 'about:blank',
    title: code.replaceAll('_', ' '),
    status,
    detail,
    instance: `/requests/${requestId}`,
    code,
    requestId,
    retryable: status >= 500,
    errors,
  };
  if (!request.complete) {
    // The rest of the body is not wanted: answer, let the answer arrive, and hang up.
    headers = { ...headers, connection: 'close' };
    request.resume();
    setTimeout(() => request.destroy(), 2000).unref();
  }
  send(response, status, problem, { ...headers, 'content-type': 'application/problem+json' });
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': text.length,
    'cache-control': 'no-store',
  });
  response.end(text);
}
