import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { ConsoleBulkService } from './console-bulk.service.js';

/** Operations on everything a filter finds. Each needs besides the permission of what it does. */
@For('console')
@Controller('api/bulk')
export class BulkController {
  constructor(private readonly bulk: ConsoleBulkService) {}

  @Get()
  @Needs('tasks.view')
  list(@Req() request: ConsoleRequest) {
    return this.bulk.list(request);
  }

  @Post()
  @Needs('tasks.cancel')
  start(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.bulk.start(request, reply);
  }

  @Post('preview')
  @HttpCode(200)
  @Needs('tasks.cancel')
  preview(@Req() request: ConsoleRequest) {
    return this.bulk.preview(request);
  }

  @Get(':id')
  @Needs('tasks.view')
  get(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.bulk.get(request, id);
  }

  @Get(':id/items')
  @Needs('tasks.view')
  items(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.bulk.items(request, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Needs('tasks.cancel')
  pause(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.bulk.move(request, reply, id, 'pause');
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Needs('tasks.cancel')
  resume(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.bulk.move(request, reply, id, 'resume');
  }

  @Post(':id/abort')
  @HttpCode(200)
  @Needs('tasks.cancel')
  abort(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.bulk.move(request, reply, id, 'abort');
  }
}
