import { NonRetryableError } from '@evenkeel/sdk/worker';

/** Checked parameters of the `http` handler. */
export interface CallParams {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  timeoutMs: number;
  expects: (status: number) => boolean;
  /** For messages. */
  expected: string;
  name: string;
}
export interface CallAnswer {
  status: number;
  body: string;
  /** The answer was longer than what is kept. */
  truncated?: true;
}

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
/** Set by the connection or by the attempt. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  'host connection content-length transfer-encoding upgrade te trailer expect idempotency-key traceparent'.split(' '),
);
const LONGEST_MS = 3600_000;

/** Throws NonRetryableError naming the parameter. */
export function callParams(params: unknown): CallParams {
  const given = typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {};
  const { url: target, method = 'GET', timeoutMs = 30_000, expectStatus } = given;
  if (typeof target !== 'string' || !URL.canParse(target)) throw refused('url', 'must be a URL');
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('url', 'must be http or https');
  if (url.username !== '' || url.password !== '') throw refused('url', 'must not hold a user name or password');
  if (typeof method !== 'string' || !METHODS.has(method)) throw refused('method', `must be one of ${[...METHODS].join(', ')}`);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= LONGEST_MS)) {
    throw refused('timeoutMs', `must be a number from 1 to ${LONGEST_MS}`);
  }
  const headers = headersFrom(given.headers);
  const body = bodyFrom(given.body, headers);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) throw refused('body', `not with ${method}`);
  const wanted = expectStatus === undefined ? undefined : [expectStatus].flat();
  if (wanted?.some((each) => !Number.isInteger(each))) throw refused('expectStatus', 'must be a status or a list of them');
  const expects = (status: number) => (wanted === undefined ? status >= 200 && status < 300 : wanted.includes(status));
  const expected = wanted === undefined ? '2xx' : wanted.join(' or ');
  return { url, method, headers, body, timeoutMs, expects, expected, name: `${method} ${url.origin}${url.pathname}` };
}

function headersFrom(given: unknown): Record<string, string> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw refused('headers', 'must be an object of strings');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!HEADER_NAME.test(name) || typeof value !== 'string' || !HEADER_VALUE.test(value))
      throw refused(`headers.${name}`, 'not a header');
    if (!OWN_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Text goes as it is; anything else goes as JSON. */
function bodyFrom(given: unknown, headers: Record<string, string>): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return given;
  headers['content-type'] ??= 'application/json';
  return JSON.stringify(given);
}

function refused(parameter: string, rule: string): NonRetryableError {
  return new NonRetryableError(`${parameter}: ${rule}`);
}
