import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NOT_PROVEN, refusalOfKey } from '../decisions/verify-request.js';
import type { PartnerCaller } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { untellRateLimit } from '../platform/http/rate-limit-headers.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { AccessKeysService } from './access-keys.service.js';

/** Told before it was held, of what a refusal does not have. */
const OF_AN_ANSWER = ['location', 'idempotent-replayed'];

/**
 * Whether a request that was held may still be answered: its key may have been disabled, have expired or lost rights meanwhile.
 * Asked of the memory that every change of a key empties on every node, so it usually costs no query; without the database it
 * fails as a new request would.
 */
@Injectable()
export class Standing {
  constructor(
    private readonly keys: AccessKeysService,
    private readonly clock: Clock,
  ) {}

  /** The caller as its key makes it now; `scope` is that of the route. Throws AppError as for a new request of that key. */
  async again(request: PartnerRequest, reply: FastifyReply, scope: string): Promise<PartnerCaller> {
    const key = await this.keys.find(request.caller.accessKey);
    if (!key) untellRateLimit(reply);
    const refusal = key ? refusalOfKey(key, { ip: request.ip, nowMs: this.clock.now() }) : NOT_PROVEN;
    const caller = key?.caller as PartnerCaller;
    const problem = refusal
      ? new AppError(refusal.code, refusal.detail)
      : caller.scopes.includes(scope)
        ? null
        : lacksScope(scope);
    if (problem === null) return caller;
    for (const name of OF_AN_ANSWER) reply.removeHeader(name);
    throw problem;
  }
}

export const lacksScope = (scope: string): AppError =>
  new AppError('insufficient_scope', `the access key lacks the scope ${scope}`);
