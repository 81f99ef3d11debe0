import { LIMITS } from '@evenkeel/sdk/contract';
import type { Pool } from 'undici';

/** What one signed request to one address came to. */
export type Exchange =
  | { kind: 'status'; status: number; body: string }
  | { kind: 'refused' }
  | { kind: 'ambiguous'; cause: string };

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  timeoutMs: number;
}

/**
 * One request and its whole answer within `timeoutMs`, waiting for a free connection included. Never throws. `refused` is said only
 * if no address of the host took the connection, so nothing was sent.
 */
export async function exchange(pool: Pool, { method, path, headers, body, timeoutMs }: ExchangeRequest): Promise<Exchange> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    const answer = await pool.request({ method, path, headers, body, signal: abort.signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop destroys the connection: nobody reads the rest.
      if (bytes > LIMITS.channelBodyBytes) return { kind: 'ambiguous', cause: 'the answer is too large' };
      chunks.push(chunk);
    }
    return { kind: 'status', status: answer.statusCode, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    return wasRefused(error) ? { kind: 'refused' } : { kind: 'ambiguous', cause: causeOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function wasRefused(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(wasRefused);
  return (error as { code?: unknown } | null)?.code === 'ECONNREFUSED' && (error as { syscall?: unknown }).syscall === 'connect';
}

function causeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ') || String(error);
}
