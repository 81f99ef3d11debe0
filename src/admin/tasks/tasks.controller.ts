import { Controller, Get, HttpCode, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleTaskLogsService } from './console-task-logs.service.js';
import { ConsoleTasksService } from './console-tasks.service.js';
import { TaskChangesService } from './task-changes.service.js';
import { TaskExportService } from './task-export.service.js';
import { TaskGroupsService } from './task-groups.service.js';

/** Tasks of every app. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/tasks')
export class ConsoleTasksController {
  constructor(
    private readonly tasks: ConsoleTasksService,
    private readonly changes: TaskChangesService,
    private readonly logs: ConsoleTaskLogsService,
    private readonly files: TaskExportService,
    private readonly groups: TaskGroupsService,
  ) {}

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

  @Get('groups')
  @Needs('tasks.view')
  grouped(@Req() request: ConsoleRequest) {
    return this.groups.grouped(request);
  }

  @Get('export')
  @Needs('tasks.view')
  export(@Req() request: ConsoleRequest, @Res() reply: FastifyReply) {
    return this.files.export(request, reply);
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

  @Get(':id/logs')
  @Needs('tasks.view')
  readLogs(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.logs.page(request, id);
  }

  @Get(':id/logs/file')
  @Needs('tasks.view')
  logFile(@Req() request: ConsoleRequest, @Res() reply: FastifyReply, @Param('id') id: string) {
    return this.logs.file(request, reply, id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Needs('tasks.cancel')
  cancel(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.cancel(request, reply, id);
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Needs('tasks.retry')
  retry(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.retry(request, reply, id);
  }

  @Post(':id/run-again')
  @Needs('tasks.retry')
  runAgain(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.runAgain(request, reply, id);
  }
}
