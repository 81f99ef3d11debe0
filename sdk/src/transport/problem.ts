import type { Problem } from '../contract/index.js';
import type { Answer } from './signed-transport.js';

/** The other side answered with a problem. Recognise it by `code`, never by its text. */
export class EvenkeelProblem extends Error {
  readonly code: string;
  readonly status: number;
  constructor(readonly problem: Problem) {
    super(problem.detail === '' ? problem.title : problem.detail);
    this.name = 'EvenkeelProblem';
    this.code = problem.code;
    this.status = problem.status;
  }
}

/** The answer's problem; one made up from the status if the body holds none (a proxy's page, say). */
export function problemOf(answer: Answer): Problem {
  const body = jsonOf(answer);
  if (isObject(body) && typeof body.code === 'string') {
    const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : '');
    return {
      ...body,
      type: text('type'),
      title: text('title') || body.code,
      detail: text('detail'),
      status: answer.status,
    } as Problem;
  }
  return {
    type: 'about:blank',
    title: `HTTP ${answer.status}`,
    status: answer.status,
    detail: `the answer has status ${answer.status} and no problem document`,
    instance: '',
    code: answer.status === 404 ? 'not_found' : answer.status >= 500 ? 'service_unavailable' : 'internal_error',
    requestId: String(answer.headers['x-request-id'] ?? ''),
    retryable: answer.status >= 500 || answer.status === 429,
  };
}

/** undefined if the body is not JSON. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The centre's clock as told in a body, in epoch milliseconds: a number in the worker protocol, RFC 3339 elsewhere. */
export function serverTimeOf(body: unknown): number | undefined {
  if (!isObject(body)) return undefined;
  const told = body.serverTime;
  if (typeof told === 'number' && Number.isFinite(told)) return told;
  const parsed = typeof told === 'string' ? Date.parse(told) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
