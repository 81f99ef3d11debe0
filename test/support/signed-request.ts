import { randomUUID } from 'node:crypto';
import { signedHeaders } from '@evenkeel/sdk/contract';

export interface SignedAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  body: any;
  tookMs: number;
}

/** A body as it is sent, JSON or not. */
export class BodyText {
  constructor(readonly text: string) {}
}

/** One signed request, not repeated; rejects after `withinMs`, as a client that hangs would. */
export async function signedRequest(
  base: string,
  key: { accessKey: string; secret: string },
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  target: string,
  content?: unknown,
  withinMs = 20_000,
): Promise<SignedAnswer> {
  const body = content instanceof BodyText ? content.text : content === undefined ? '' : JSON.stringify(content);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const parts = { accessKey: key.accessKey, timestamp, nonce: randomUUID(), method, target, body };
  const sentAt = performance.now();
  const answer = await fetch(base + target, {
    method,
    headers: { ...signedHeaders(parts, key.secret), ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body || undefined,
    signal: AbortSignal.timeout(withinMs),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: answer.status === 204 ? null : await answer.json(),
    tookMs: performance.now() - sentAt,
  };
}
