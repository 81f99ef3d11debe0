import type { FastifyRequest } from 'fastify';
import type { PartnerCaller, WorkerCaller } from '../audience.js';
import type { AppError } from '../errors.js';

/** A request as controllers meet it. The members below are set by the guard, after it verified the request. */
export interface CallerRequest<Caller = PartnerCaller | WorkerCaller> extends FastifyRequest {
  caller: Caller;
  /** Text of the body that was verified; `body` is its parsed form. Undefined if there was none. */
  bodyText: string | undefined;
  /** Decoded query pairs, from the very list that was signed. Never read `query`. */
  signedQuery: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the body whose signature was looked at and matched nothing. */
  refusedDigest?: string;
}
/** A worker's body that is no JSON object is not refused by the guard: `unreadable` is what to throw, and `bodyText` its bytes as Latin-1. */
export interface WorkerRequest extends CallerRequest<WorkerCaller> {
  unreadable?: AppError;
}
export type PartnerRequest = CallerRequest<PartnerCaller>;

/** The bytes of the body as received; the one content parser hands over a Buffer, and nothing when there was no body. */
export function bodyBytes(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : EMPTY;
}
const EMPTY = Buffer.alloc(0);
