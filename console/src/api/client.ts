import type { FieldError, ProblemCode } from '@evenkeel/sdk/contract';
import { withBase } from '../lib/base-path';

/** What the admin API refused, or `unreachable` when it did not answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: ProblemCode | 'unreachable' | (string & {}),
    readonly detail: string,
    readonly requestId: string | null,
    readonly errors: FieldError[],
    /** The whole problem document: `permission`, `current`, … */
    readonly members: Record<string, unknown>,
    readonly retryAfterSeconds: number | null,
  ) {
    super(detail);
    this.name = 'ApiError';
  }
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;
export interface Answer<T> {
  body: T;
  status: number;
  /** Of the audit entry a change wrote. */
  auditId: string | null;
}

const sessionEnd = new Set<() => void>();
/** Called when an answer says that the session is over. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEnd.add(listener);
  return () => sessionEnd.delete(listener);
}
export const tellSessionEnd = (): void => {
  for (const listener of sessionEnd) listener();
};

const sessionDoubt = new Set<() => void>();
/** Called when something says that the session may not be what it was: another person's, over, or with other rights. */
export function onSessionDoubt(listener: () => void): () => void {
  sessionDoubt.add(listener);
  return () => sessionDoubt.delete(listener);
}
export const tellSessionDoubt = (): void => {
  for (const listener of sessionDoubt) listener();
};

export function queryText(query: Query = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    if (Array.isArray(value)) for (const each of value) pairs.append(name, each);
    else pairs.append(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

/** Throws ApiError. */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer<T>> {
  let response: Response;
  try {
    response = await fetch(withBase(`api/${path}`), {
      method,
      signal,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', '', null, [], {}, null);
  }
  const text = await response.text();
  const auditId = response.headers.get('audit-id');
  if (response.ok) return { body: (text === '' ? undefined : JSON.parse(text)) as T, status: response.status, auditId };
  const error = errorOf(response, text);
  if (error.status === 401 && !path.startsWith('session')) tellSessionEnd();
  if (error.code === 'permission_denied') tellSessionDoubt();
  throw error;
}

function errorOf(response: Response, text: string): ApiError {
  let problem: Record<string, unknown> = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // A proxy's page: its status is all it says.
  }
  const wait = response.headers.get('retry-after');
  return new ApiError(
    response.status,
    typeof problem.code === 'string' ? problem.code : `http_${response.status}`,
    typeof problem.detail === 'string' ? problem.detail : response.statusText,
    typeof problem.requestId === 'string' ? problem.requestId : response.headers.get('x-request-id'),
    Array.isArray(problem.errors) ? (problem.errors as FieldError[]) : [],
    problem,
    wait === null ? null : Number(wait),
  );
}

export const api = {
  get: async <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
    (await call<T>('GET', path + queryText(query), undefined, signal)).body,
  post: <T>(path: string, body: unknown = {}) => call<T>('POST', path, body),
  put: <T>(path: string, body: unknown) => call<T>('PUT', path, body),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, body),
  delete: <T>(path: string, query?: Query) => call<T>('DELETE', path + queryText(query)),
};

export const segment = (id: string): string => encodeURIComponent(id);
