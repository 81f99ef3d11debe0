import { Controller, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { AppCallbacksService } from './app-callbacks.service.js';
import { ConsoleDeliveriesService } from './console-deliveries.service.js';
import { ConsoleEndpointsService } from './console-endpoints.service.js';
import { DeliveryExportService } from './delivery-export.service.js';

/** Callbacks of all apps. They belong to apps, so to no group. */
@For('console')
@Controller('api')
export class ConsoleCallbacksController {
  constructor(
    private readonly deliveries: ConsoleDeliveriesService,
    private readonly endpoints: ConsoleEndpointsService,
    private readonly apps: AppCallbacksService,
    private readonly files: DeliveryExportService,
  ) {}

  @Get('callbacks/deliveries')
  @Needs('keys.view')
  listDeliveries(@Req() request: ConsoleRequest) {
    return this.deliveries.list(request);
  }

  @Get('callbacks/deliveries/export')
  @Needs('keys.view')
  exportDeliveries(@Req() request: ConsoleRequest, @Res() reply: FastifyReply) {
    return this.files.export(request, reply);
  }

  @Get('callbacks/deliveries/:id')
  @Needs('keys.view')
  getDelivery(@Param('id') id: string) {
    return this.deliveries.get(id);
  }

  @Post('callbacks/deliveries/:id/redeliver')
  @HttpCode(200)
  @Needs('keys.manage')
  redeliver(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.deliveries.redeliver(request, reply, id);
  }

  @Get('callbacks/endpoints')
  @Needs('keys.view')
  listEndpoints(@Req() request: ConsoleRequest) {
    return this.endpoints.list(request);
  }

  @Get('callbacks/endpoints/:id')
  @Needs('keys.view')
  getEndpoint(@Param('id') id: string) {
    return this.endpoints.get(id);
  }

  @Post('callbacks/endpoints/:id/disable')
  @HttpCode(200)
  @Needs('keys.manage')
  disable(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.disable(request, reply, id);
  }

  @Post('callbacks/endpoints/:id/enable')
  @HttpCode(200)
  @Needs('keys.manage')
  enable(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.enable(request, reply, id);
  }

  @Post('callbacks/endpoints/:id/test')
  @HttpCode(200)
  @Needs('keys.manage')
  test(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.test(request, reply, id);
  }

  @Post('callbacks/endpoints/:id/recover')
  @HttpCode(200)
  @Needs('keys.manage')
  recover(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.recover(request, reply, id);
  }

  @Post('callbacks/endpoints/:id/replay-missing')
  @HttpCode(200)
  @Needs('keys.manage')
  replayMissing(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.replayMissing(request, reply, id);
  }

  @Post('callbacks/endpoints/:id/rotate-secret')
  @HttpCode(200)
  @Needs('keys.manage')
  rotate(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.endpoints.rotate(request, reply, id);
  }

  @Get('apps/:id/callbacks')
  @Needs('keys.view')
  hosts(@Param('id') id: string) {
    return this.apps.get(id);
  }

  @Put('apps/:id/callbacks')
  @Needs('keys.manage')
  setHosts(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.apps.set(request, reply, id);
  }

  @Post('apps/:id/callbacks/rotate-secret')
  @HttpCode(200)
  @Needs('keys.manage')
  rotateOfApp(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.apps.rotate(request, reply, id);
  }
}
