import type { IncomingHttpHeaders } from 'node:http';
import { type AttemptContext, NonRetryableError, RetryAfterError } from '@evenkeel/sdk/worker';
import { CallFailed } from '../../../callbacks/call-failed.js';
import type { GuardedHttp } from '../../../callbacks/guarded-http.js';
import { type CallAnswer, type CallParams, callParams } from '../call-params.js';

const BODY_BYTES = 64 * 1024;
const HEADER_BYTES = 32 * 1024;

/**
 * One real HTTP call. Sends `Idempotency-Key` and `traceparent`, follows no redirect, keeps at most 64 KiB of the answer. Another
 * status than expected fails the attempt; a target that is not allowed, or bad parameters, fail it for good.
 */
export function httpCaller(http: GuardedHttp): (params: unknown, ctx: AttemptContext) => Promise<CallAnswer> {
  return async (params, ctx) => {
    const call = callParams(params);
    const { url, method, body, timeoutMs } = call;
    const headers = { ...call.headers, 'idempotency-key': ctx.idempotencyKey, traceparent: ctx.traceparent };
    const times = { connectMs: timeoutMs, headersMs: timeoutMs, totalMs: timeoutMs };
    const limits = { ...times, bodyBytes: BODY_BYTES, headerBytes: HEADER_BYTES };
    const answer = await http.call({ url, method, headers, body, signal: ctx.signal, limits }).catch((error) => {
      throw failureOf(call, error);
    });
    const kept: CallAnswer = { status: answer.status, body: answer.body.toString('utf8') };
    if (answer.truncated) kept.truncated = true;
    if (call.expects(answer.status)) return kept;
    throw unexpected(call, kept, answer.headers);
  };
}

function failureOf(call: CallParams, error: unknown): unknown {
  if (!(error instanceof CallFailed)) return error;
  if (error.failure === 'blocked') return new NonRetryableError(`${call.name}: the target address is not allowed`);
  if (error.failure === 'timeout') return new Error(`${call.name}: no complete answer within ${call.timeoutMs} ms`);
  return new Error(`${call.name}: ${error.message}`, { cause: error });
}

function unexpected(call: CallParams, { status, body }: CallAnswer, headers: IncomingHttpHeaders): Error {
  const redirect = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
  const message = `${call.name}: answered ${status}, expected ${call.expected}${redirect}: ${body.slice(0, 200)}`;
  const retryAfter = Number(headers['retry-after']);
  if ((status === 429 || status === 503) && Number.isFinite(retryAfter)) return new RetryAfterError(retryAfter * 1000, message);
  return new Error(message);
}
