import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { SendEventOperation } from './document/event-operations.js';
import { SentEventsService } from './sent-events.service.js';
import { noQuery } from './task-query.js';

/** Events, as partners send them. */
@For('partner')
@ApiTags('Events')
@Controller('openapi/v1/events')
export class EventsController {
  constructor(private readonly events: SentEventsService) {}

  @Post()
  @HttpCode(202)
  @NeedsScope('tasks:write')
  @SendEventOperation()
  send(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    noQuery(request.signedQuery);
    return this.events.send(request, reply);
  }
}
