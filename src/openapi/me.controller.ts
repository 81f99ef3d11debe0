import type { MeAnswer } from '@evenkeel/sdk/contract';
import { Controller, Get, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PendingCallbacks } from '../callbacks/pending-callbacks.js';
import { For } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { WhoAmIOperation } from './document/operations.js';
import { noQuery } from './task-query.js';

/** The first call a partner makes: who am I, what may I do, what time is it. */
@For('partner')
@ApiTags('Account')
@Controller('openapi/v1/me')
export class MeController {
  constructor(
    private readonly clock: Clock,
    private readonly callbacks: PendingCallbacks,
  ) {}

  @Get()
  @WhoAmIOperation()
  me(@Req() { caller, signedQuery }: PartnerRequest): MeAnswer {
    noQuery(signedQuery);
    return {
      app: { id: caller.appPublicId, name: caller.appName },
      accessKey: caller.accessKey,
      scopes: [...caller.scopes],
      groups: [...caller.groups],
      defaultGroup: caller.defaultGroup,
      limits: { ...caller.limits },
      callbacks: { pending: this.callbacks.of(caller.appId) },
      serverTime: new Date(this.clock.now()).toISOString(),
    };
  }
}
