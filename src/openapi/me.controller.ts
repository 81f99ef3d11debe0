import type { MeAnswer } from '@evenkeel/sdk/contract';
import { Controller, Get, Req } from '@nestjs/common';
import { For } from '../platform/audience.js';
import { Clock } from '../platform/clock.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { noQuery } from './task-query.js';

/** The first call a partner makes: who am I, what may I do, what time is it. */
@For('partner')
@Controller('openapi/v1/me')
export class MeController {
  constructor(private readonly clock: Clock) {}

  @Get()
  me(@Req() { caller, signedQuery }: PartnerRequest): MeAnswer {
    noQuery(signedQuery);
    return {
      app: { id: caller.appPublicId, name: caller.appName },
      accessKey: caller.accessKey,
      scopes: [...caller.scopes],
      groups: [...caller.groups],
      defaultGroup: caller.defaultGroup,
      limits: { ...caller.limits },
      serverTime: new Date(this.clock.now()).toISOString(),
    };
  }
}
