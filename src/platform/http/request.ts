import type { FastifyRequest } from 'fastify';
import type { PartnerCaller, WorkerCaller } from '../audience.js';

/** A request as controllers meet it. The members below are set by the guard, after it verified the request. */
export interface CallerRequest<Caller = PartnerCaller | WorkerCaller> extends FastifyRequest {
  caller: Caller;
  /** Text of the body that was verified; `body` is its parsed form. Undefined if there was none. */
  bodyText: string | undefined;
  /** Decoded query pairs, from the very list that was signed. Never read `query`. */
  signedQuery: readonly (readonly [name: string, value: string])[];
}
export type PartnerRequest = CallerRequest<PartnerCaller>;
export type WorkerRequest = CallerRequest<WorkerCaller>;

/** The bytes of the body as received; the one content parser hands over a Buffer, and nothing when there was no body. */
export function bodyBytes(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : EMPTY;
}
const EMPTY = Buffer.alloc(0);
