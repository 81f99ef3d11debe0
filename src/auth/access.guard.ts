import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import { parseJsonBody } from '../platform/http/json-body.js';
import { bodyBytes, type CallerRequest } from '../platform/http/request.js';
import { AudienceMarks } from './audience-marks.js';
import { CallerQuota } from './caller-quota.js';
import { KeyUsage } from './key-usage.js';
import { SignatureCheck } from './signature-check.js';

/**
 * The one door. Lets a request through to whom its route is marked for, after the order of the contract: signature, key, nonce,
 * scope, rate, and only then the body is parsed. Steps with effects follow each other strictly, so a refused request costs nothing
 * of what comes later: a replay spends no quota.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly marks: AudienceMarks,
    private readonly signatures: SignatureCheck,
    private readonly quota: CallerQuota,
    private readonly usage: KeyUsage,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { audience, scope } = this.marks.of(context);
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    switch (audience) {
      case 'partner':
        return this.admitPartner(request, http.getResponse<FastifyReply>(), scope);
      case 'worker':
        return this.admitWorker(request);
      case 'public':
        takeBody(request);
        return true;
      case 'console':
        throw new AppError('auth_missing', 'sign in to the console first');
    }
  }

  private async admitPartner(request: CallerRequest, reply: FastifyReply, scope: string | undefined): Promise<boolean> {
    const { accessKey, key, target } = await this.signatures.verify(request, 'partner');
    const caller = key.caller as PartnerCaller;
    this.usage.note(accessKey);
    if (scope && !caller.scopes.includes(scope)) {
      await this.quota.tell(caller, reply);
      throw new AppError('insufficient_scope', `the access key lacks the scope ${scope}`);
    }
    await this.quota.take(caller, reply);
    request.caller = caller;
    request.signedQuery = target.query;
    takeBody(request);
    return true;
  }

  private async admitWorker(request: CallerRequest): Promise<boolean> {
    const { accessKey, key, target } = await this.signatures.verify(request, 'worker');
    this.usage.note(accessKey);
    request.caller = key.caller;
    request.signedQuery = target.query;
    takeBody(request);
    return true;
  }
}

/** Replaces the bytes by the object they hold. A request without a body keeps none; whoever needs one says so. */
function takeBody(request: CallerRequest): void {
  const bytes = bodyBytes(request);
  const parsed = bytes.length === 0 ? undefined : parseJsonBody(bytes);
  request.bodyText = parsed?.text;
  request.body = parsed?.value;
}
