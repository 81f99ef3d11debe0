import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { mayAnywhere, type Permission } from '../decisions/permissions.js';
import { ANYONE, type PartnerCaller, SIGNED_IN } from '../platform/audience.js';
import { Config } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { parseJsonBody } from '../platform/http/json-body.js';
import { bodyBytes, type CallerRequest, type WorkerRequest } from '../platform/http/request.js';
import { AudienceMarks } from './audience-marks.js';
import { CallerQuota } from './caller-quota.js';
import type { ConsoleCaller } from './console-caller.js';
import { permissionDenied } from './console-caller.js';
import type { LoadedKey } from './loaded-key.js';
import { checkSameSite } from './same-site.js';
import { sessionToken } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';
import { SignatureCheck } from './signature-check.js';
import { lacksScope } from './standing.js';

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
    private readonly sessions: SessionsService,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { audience, scope, needs } = this.marks.of(context);
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
        return this.admitConsole(request, needs as string);
    }
  }

  private async admitPartner(request: CallerRequest, reply: FastifyReply, scope: string | undefined): Promise<boolean> {
    const tell = (known: LoadedKey['caller']) => this.quota.tell(known as PartnerCaller, reply);
    const { key, target } = await this.signatures.verify(request, 'partner', tell);
    const caller = key.caller as PartnerCaller;
    request.caller = caller;
    if (scope && !caller.scopes.includes(scope)) {
      await this.quota.tell(caller, reply);
      throw lacksScope(scope);
    }
    await this.quota.take(caller, reply);
    request.signedQuery = target.query;
    takeBody(request);
    return true;
  }

  private async admitWorker(request: CallerRequest): Promise<boolean> {
    const { key, target } = await this.signatures.verify(request, 'worker');
    request.caller = key.caller;
    request.signedQuery = target.query;
    takeWorkerBody(request as WorkerRequest);
    return true;
  }

  /** Whether the object in question is in a group where they may is for the route to ask: only it knows the object. */
  private async admitConsole(request: CallerRequest, needs: string): Promise<boolean> {
    checkSameSite(request, this.config.publicUrl?.origin);
    if (needs !== ANYONE) {
      const token = sessionToken(request);
      const session = token === undefined ? null : await this.sessions.find(token);
      if (!session) throw new AppError('auth_missing', 'sign in to the console first');
      if (needs !== SIGNED_IN && !mayAnywhere(session.rights, needs as Permission))
        throw permissionDenied(needs as Permission, null);
      const caller: ConsoleCaller = {
        kind: 'console',
        userId: session.userId,
        username: session.username,
        rights: session.rights,
        session: { id: session.id, expiresAt: session.expiresAt },
        address: request.ip,
        userAgent: request.headers['user-agent']?.slice(0, 255) ?? null,
        requestId: request.id,
      };
      (request as unknown as CallerRequest<ConsoleCaller>).caller = caller;
    }
    request.signedQuery = [...new URLSearchParams((request.raw.url ?? '').split('?', 2)[1] ?? '')];
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

/** Its sender is proven, and a beat is a sign of life whatever is wrong with it: so the route hears of a body that cannot be read. */
function takeWorkerBody(request: WorkerRequest): void {
  const bytes = bodyBytes(request);
  try {
    takeBody(request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    request.unreadable = error;
    request.bodyText = bytes.toString('latin1');
    request.body = undefined;
  }
}
