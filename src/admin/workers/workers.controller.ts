import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleWorkersService } from './console-workers.service.js';
import { WorkerInsightService } from './worker-insight.service.js';

/** Workers: what loads them, keeping orders from them, emptying and forgetting them. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/workers')
export class ConsoleWorkersController {
  constructor(
    private readonly workers: ConsoleWorkersService,
    private readonly insight: WorkerInsightService,
  ) {}

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

  @Get(':id/work')
  @Needs('tasks.view')
  work(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.insight.workOf(request, id);
  }

  @Get(':id/history')
  @Needs('workers.view')
  history(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.insight.history(request, id);
  }

  @Get(':id/lost')
  @Needs('tasks.view')
  lost(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.insight.lost(request, id);
  }

  @Post(':id/cordon')
  @HttpCode(200)
  @Needs('workers.drain')
  cordon(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.workers.cordon(request, reply, id);
  }

  @Post(':id/uncordon')
  @HttpCode(200)
  @Needs('workers.drain')
  uncordon(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.workers.uncordon(request, reply, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Needs('workers.drain')
  forget(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.workers.forget(request, reply, id);
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
