import { Controller, Get, HttpCode, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleTasksService } from './console-tasks.service.js';

/** Tasks of every app. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/tasks')
export class ConsoleTasksController {
  constructor(private readonly tasks: ConsoleTasksService) {}

  @Get()
  @Needs('tasks.view')
  list(@Req() request: ConsoleRequest) {
    return this.tasks.list(request);
  }

  @Get('counts')
  @Needs('tasks.view')
  counts(@Req() request: ConsoleRequest) {
    return this.tasks.counts(request);
  }

  @Get(':id')
  @Needs('tasks.view')
  get(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.tasks.get(request, id);
  }

  @Get(':id/explain')
  @Needs('tasks.view')
  explain(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.tasks.explain(request, id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Needs('tasks.cancel')
  cancel(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.tasks.cancel(request, reply, id);
  }
}
