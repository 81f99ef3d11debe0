import * as plain from 'node:http';
import * as secure from 'node:https';
import { type AttemptContext, NonRetryableError, RetryAfterError } from '@evenkeel/sdk/worker';
import { type CallAnswer, type CallParams, callParams } from '../call-params.js';
import { type GuardedTargets, TargetRefused } from '../guarded-targets.js';

const BODY_BYTES = 64 * 1024;

/**
 * One real HTTP call. Sends `Idempotency-Key` and `traceparent`, follows no redirect, keeps at most 64 KiB of the answer. Another
 * status than expected fails the attempt; a target that is not allowed, or bad parameters, fail it for good.
 */
export function httpCaller(targets: GuardedTargets): (params: unknown, ctx: AttemptContext) => Promise<CallAnswer> {
  const agents = { 'http:': new plain.Agent({ keepAlive: true }), 'https:': new secure.Agent({ keepAlive: true }) };
  return async (params, ctx) => {
    const call = callParams(params);
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(call.timeoutMs)]);
    try {
      targets.checkLiteral(call.url.hostname);
      const [answer, headers] = await exchange(call, agents, targets, ctx, signal);
      if (call.expects(answer.status)) return answer;
      throw unexpected(call, answer, headers);
    } catch (error) {
      if (ctx.signal.aborted) throw ctx.signal.reason;
      if (signal.aborted) throw new Error(`${call.name}: no complete answer within ${call.timeoutMs} ms`);
      if (error instanceof TargetRefused) throw new NonRetryableError(`${call.name}: ${error.message}`);
      throw error;
    }
  };
}

type Agents = { 'http:': plain.Agent; 'https:': secure.Agent };

function exchange(
  call: CallParams,
  agents: Agents,
  targets: GuardedTargets,
  ctx: AttemptContext,
  signal: AbortSignal,
): Promise<[CallAnswer, plain.IncomingHttpHeaders]> {
  return new Promise((resolve, reject) => {
    const { url, method, body } = call;
    const headers = { ...call.headers, 'idempotency-key': ctx.idempotencyKey, traceparent: ctx.traceparent };
    const { lookup } = targets;
    const common = { method, headers, signal, lookup, maxHeaderSize: 32 * 1024 };
    const request =
      url.protocol === 'https:'
        ? secure.request(url, { ...common, agent: agents['https:'] })
        : plain.request(url, { ...common, agent: agents['http:'] });
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        error instanceof TargetRefused ? error : new Error(`${call.name}: ${error.code ?? error.message}`, { cause: error }),
      );
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = (truncated: boolean) => {
        const text = Buffer.concat(chunks).subarray(0, BODY_BYTES).toString('utf8');
        const answer: CallAnswer = { status: response.statusCode ?? 0, body: text };
        if (truncated) answer.truncated = true;
        resolve([answer, response.headers]);
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > BODY_BYTES) {
          finish(true);
          request.destroy();
        }
      });
      response.on('end', () => finish(false));
      response.on('error', reject);
    });
    request.end(body);
  });
}

function unexpected(call: CallParams, { status, body }: CallAnswer, headers: plain.IncomingHttpHeaders): Error {
  const redirect = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
  const message = `${call.name}: answered ${status}, expected ${call.expected}${redirect}: ${body.slice(0, 200)}`;
  const retryAfter = Number(headers['retry-after']);
  if ((status === 429 || status === 503) && Number.isFinite(retryAfter)) return new RetryAfterError(retryAfter * 1000, message);
  return new Error(message);
}
