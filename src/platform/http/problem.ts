import { STATUS_CODES } from 'node:http';
import type { Problem, ProblemCode } from '@evenkeel/sdk/contract';
import { HttpException } from '@nestjs/common';
import { PortUnavailableError } from '../../ports.js';
import { AppError, PROBLEM_KINDS, type ProblemExtras, SESSION_TITLES } from '../errors.js';

/** What may be known about an error besides itself. */
export interface ProblemContext {
  requestId: string;
  /** Raw request target, to tell whose realm a 401 belongs to. */
  target: string;
  isDatabaseUnavailable?: (error: unknown) => boolean;
  isDatabaseContended?: (error: unknown) => boolean;
  /** Largest body the route reads. */
  maxBytes?: number;
  /** Path a proxy strips before /openapi. */
  publicPrefix?: string;
}
export interface RenderedProblem {
  body: Problem;
  headers: Record<string, string>;
  /** The error was not foreseen: someone must look at it. Nothing of it is in the body. */
  unforeseen: boolean;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** The problem document of any error. Only an AppError speaks for itself; of everything else not a word is let through. */
export function renderProblem(error: unknown, context: ProblemContext): RenderedProblem {
  const known = toAppError(error, context);
  const { code, detail, extras } = known ?? INTERNAL;
  const { status, title, retryable } = PROBLEM_KINDS[code];
  const aboutSession = isConsole(context.target) ? SESSION_TITLES[code] : undefined;
  const body: Problem = {
    type: `${context.publicPrefix ?? ''}/openapi/problems/${code}${aboutSession === undefined ? '' : '#session'}`,
    title: aboutSession ?? title,
    status,
    detail,
    instance: `/requests/${context.requestId}`,
    code,
    requestId: context.requestId,
    retryable,
    ...(extras.errors ? { errors: extras.errors } : {}),
    ...extras.members,
  };
  return { body, headers: problemHeaders(status, extras, context.target), unforeseen: !known };
}

const INTERNAL: { code: ProblemCode; detail: string; extras: ProblemExtras } = {
  code: 'internal_error',
  detail: 'the request failed for a reason of ours; quote the requestId if it persists',
  extras: {},
};

const isConsole = (target: string): boolean => target.startsWith('/api');

function problemHeaders(status: number, extras: ProblemExtras, target: string): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': PROBLEM_MEDIA_TYPE, ...extras.headers };
  // The console signs in by its own page: no header that makes a browser ask for a password.
  if (status === 401 && !isConsole(target))
    headers['www-authenticate'] = `EK1-HMAC-SHA256 realm="${target.startsWith('/worker') ? 'worker' : 'openapi'}"`;
  const retryAfter = extras.retryAfter ?? (status === 503 ? 2 : status === 429 ? 1 : undefined);
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfter)));
  return headers;
}

function toAppError(error: unknown, context: ProblemContext): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof PortUnavailableError || context.isDatabaseUnavailable?.(error)) {
    return AppError.because('service_unavailable', 'stores_away');
  }
  if (context.isDatabaseContended?.(error)) return AppError.because('service_unavailable', 'contended');
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status < 500 ? ofStatus(status, context) : null;
}

/** Errors of the framework carry a status and a text of their own; only the status is believed. */
const BY_STATUS: Record<number, readonly [ProblemCode, string]> = {
  400: ['invalid_json', 'the body could not be read'],
  401: ['auth_failed', 'authentication failed'],
  403: ['insufficient_scope', 'the caller may not do this'],
  404: ['not_found', 'there is no such resource'],
  405: ['method_not_allowed', 'the method is not allowed here'],
  413: ['payload_too_large', 'the body is larger than this route reads'],
  414: ['uri_too_long', 'the request target is too long'],
  415: ['unsupported_media_type', 'the body must be application/json in UTF-8'],
  431: ['headers_too_large', 'the headers are larger than 16 KiB'],
};

function ofStatus(status: number, context: ProblemContext): AppError {
  const [code, detail] = BY_STATUS[status] ?? ['invalid_request_target', STATUS_CODES[status] ?? 'the request is malformed'];
  return new AppError(code, detail, status === 413 && context.maxBytes ? { members: { maxBytes: context.maxBytes } } : {});
}
