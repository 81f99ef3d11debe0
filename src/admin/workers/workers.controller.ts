import { Controller, Get, HttpCode, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleWorkersService } from './console-workers.service.js';

/** Workers, and emptying them. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/workers')
export class ConsoleWorkersController {
  constructor(private readonly workers: ConsoleWorkersService) {}

  @Get()
  @Needs('workers.view')
  list(@Req() request: ConsoleRequest) {
    return this.workers.list(request);
  }

  @Get(':id')
  @Needs('workers.view')
  get(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.workers.get(request, id);
  }

  @Get(':id/load')
  @Needs('workers.view')
  load(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.workers.load(request, id);
  }

  @Post(':id/drain')
  @HttpCode(200)
  @Needs('workers.drain')
  drain(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.workers.drain(request, reply, id);
  }

  @Post(':id/undrain')
  @HttpCode(200)
  @Needs('workers.drain')
  undrain(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.workers.undrain(request, reply, id);
  }
}
