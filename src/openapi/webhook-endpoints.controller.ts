import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import * as documented from './document/webhook-operations.js';
import { noQuery } from './task-query.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

/** Where the ends of tasks are told, as partners register it. */
@For('partner')
@ApiTags('Callbacks')
@Controller('openapi/v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('webhooks:write')
  @documented.CreateWebhookEndpointOperation()
  create(@Req() request: PartnerRequest) {
    noQuery(request.signedQuery);
    return this.endpoints.create(request);
  }

  @Get()
  @NeedsScope('webhooks:read')
  @documented.ListWebhookEndpointsOperation()
  list(@Req() request: PartnerRequest) {
    noQuery(request.signedQuery);
    return this.endpoints.list(request);
  }

  @Get(':id')
  @NeedsScope('webhooks:read')
  @documented.GetWebhookEndpointOperation()
  get(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.get(request, id);
  }

  @Put(':id')
  @NeedsScope('webhooks:write')
  @documented.ChangeWebhookEndpointOperation()
  change(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.change(request, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('webhooks:write')
  @documented.DeleteWebhookEndpointOperation()
  remove(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.remove(request, id);
  }

  @Post(':id/enable')
  @HttpCode(200)
  @NeedsScope('webhooks:write')
  @documented.EnableWebhookEndpointOperation()
  enable(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.enable(request, id);
  }

  @Post(':id/disable')
  @HttpCode(200)
  @NeedsScope('webhooks:write')
  @documented.DisableWebhookEndpointOperation()
  disable(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.disable(request, id);
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @NeedsScope('webhooks:write')
  @documented.RotateWebhookSecretOperation()
  rotate(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.rotate(request, id);
  }

  @Post(':id/test')
  @HttpCode(202)
  @NeedsScope('webhooks:write')
  @documented.TestWebhookEndpointOperation()
  test(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.ping(request, id);
  }

  @Post(':id/recover')
  @HttpCode(202)
  @NeedsScope('webhooks:write')
  @documented.RecoverWebhookDeliveriesOperation()
  recover(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.endpoints.recover(request, id);
  }
}
