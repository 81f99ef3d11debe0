import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { signedHeaders } from '@evenkeel/sdk/contract';

export interface CallChange {
  secret?: string;
  accessKey?: string;
  /** Seconds the timestamp is off. */
  skewSeconds?: number;
  /** The body the signature is made for, if not the one that is sent. */
  signedBody?: string;
  /** Headers instead of those that belong there; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
}
export interface CallAnswer {
  /** 0: no answer. */
  status: number;
  text: string;
  json: unknown;
}

const TIMEOUT_MS = 5000;

/** Calls the worker as the centre does, or as somebody who only pretends to be it. */
export class WorkerCaller {
  constructor(
    readonly base: string,
    private readonly key: { accessKey: string; secret: string },
    /** Epoch milliseconds by the centre's clock. */
    private readonly now: () => number,
  ) {}

  async call(method: string, path: string, content?: unknown, change: CallChange = {}): Promise<CallAnswer> {
    const url = new URL(this.base);
    const target = url.pathname.replace(/\/$/, '') + path;
    const body = content === undefined ? '' : typeof content === 'string' ? content : JSON.stringify(content);
    const timestamp = String(Math.floor(this.now() / 1000) + (change.skewSeconds ?? 0));
    const accessKey = change.accessKey ?? this.key.accessKey;
    const parts = { accessKey, timestamp, nonce: randomUUID(), method, target, body: change.signedBody ?? body };
    const headers: Record<string, string | undefined> = {
      ...signedHeaders(parts, change.secret ?? this.key.secret),
      'content-length': String(Buffer.byteLength(body)),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      ...change.headers,
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>;
    return exchange(url, method, target, sent, body);
  }
}

function exchange(url: URL, method: string, path: string, headers: Record<string, string>, body: string): Promise<CallAnswer> {
  return new Promise((resolve) => {
    const none = (why: string) => resolve({ status: 0, text: why, json: undefined });
    const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const { hostname, port } = url;
    const request = ask({ hostname, port, method, path, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (error) => none(error.message));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, json: parsed(text) });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on('error', (error) => none(error.message));
    request.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Whoever wants JSON finds none.
  }
}
