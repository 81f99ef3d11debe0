import type { FastifyReply } from 'fastify';
import type { RateLimit, RateVerdict } from '../../ports.js';
import { AppError } from '../errors.js';

/** The problem type every `rate_limited` answer bears. */
export const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/** Units per second and at once, as an operator states them. */
export const rateLimit = (perSecond: number, burst: number): RateLimit => ({
  intervalMicros: Math.max(1, Math.round(1e6 / perSecond)),
  burst,
});

/** Adds one policy to RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers). Never on a 401. */
export function tellRateLimit(reply: FastifyReply, policy: string, limit: RateLimit, verdict: RateVerdict): void {
  const windowSeconds = Math.max(1, Math.ceil((limit.intervalMicros * limit.burst) / 1e6));
  append(reply, 'ratelimit-policy', `"${policy}";q=${limit.burst};w=${windowSeconds}`);
  append(reply, 'ratelimit', `"${policy}";r=${verdict.remaining};t=${secondsUntilMore(limit, verdict)}`);
}

/** Takes back what was told, for an answer that must not tell it. */
export function untellRateLimit(reply: FastifyReply): void {
  for (const name of ['ratelimit-policy', 'ratelimit']) reply.removeHeader(name);
}

/** The 429 of an exhausted bucket. Retry-After is never below what the headers promise, and jittered so that waiters do not return together. */
export function rateLimited(policy: string, verdict: RateVerdict, jitter: number): AppError {
  const seconds = Math.max(1, Math.ceil(verdict.retryAfterMicros / 1e6));
  return quotaExceeded(policy, `the limit "${policy}" is reached`, Math.ceil(seconds * (1 + 0.2 * jitter)));
}

/** A `rate_limited` answer of any kind: it names the limit in the way the registered problem type asks for. */
export const quotaExceeded = (policy: string, detail: string, retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', detail, {
    retryAfter: retryAfterSeconds,
    members: { type: QUOTA_EXCEEDED, 'violated-policies': [policy] },
  });

function secondsUntilMore(limit: RateLimit, verdict: RateVerdict): number {
  if (verdict.outcome === 'limited') return Math.ceil(verdict.retryAfterMicros / 1e6);
  return verdict.remaining >= limit.burst ? 0 : Math.max(1, Math.ceil(limit.intervalMicros / 1e6));
}

function append(reply: FastifyReply, name: string, value: string): void {
  const present = reply.getHeader(name);
  reply.header(name, present === undefined ? value : `${String(present)}, ${value}`);
}
