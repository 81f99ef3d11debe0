import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import * as documented from './document/webhook-operations.js';
import { noQuery } from './task-query.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';

/** What became of each callback. */
@For('partner')
@ApiTags('Callbacks')
@Controller('openapi/v1/webhook-deliveries')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get()
  @NeedsScope('webhooks:read')
  @documented.ListWebhookDeliveriesOperation()
  list(@Req() request: PartnerRequest) {
    return this.deliveries.list(request);
  }

  @Get(':id')
  @NeedsScope('webhooks:read')
  @documented.GetWebhookDeliveryOperation()
  get(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.deliveries.get(request, id);
  }

  @Post(':id/redeliver')
  @HttpCode(202)
  @NeedsScope('webhooks:write')
  @documented.RedeliverWebhookOperation()
  redeliver(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.deliveries.redeliver(request, id);
  }
}
