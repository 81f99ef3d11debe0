import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleBackfillsService } from './console-backfills.service.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import { JobChangesService } from './job-changes.service.js';
import { JobExportService } from './job-export.service.js';
import { JobHistoryService } from './job-history.service.js';
import { Previews } from './previews.js';

/** Jobs of every app. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/jobs')
export class ConsoleJobsController {
  constructor(
    private readonly jobs: ConsoleJobsService,
    private readonly changes: JobChangesService,
    private readonly previews: Previews,
    private readonly backfills: ConsoleBackfillsService,
    private readonly files: JobExportService,
    private readonly histories: JobHistoryService,
  ) {}

  @Get()
  @Needs('jobs.view')
  list(@Req() request: ConsoleRequest) {
    return this.jobs.list(request);
  }

  @Post()
  @Needs('jobs.edit')
  create(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.changes.create(request, reply);
  }

  @Post('preview')
  @HttpCode(200)
  @Needs('jobs.view')
  preview(@Req() request: ConsoleRequest) {
    return this.previews.unsaved(request);
  }

  @Get('export')
  @Needs('jobs.view')
  export(@Req() request: ConsoleRequest, @Res() reply: FastifyReply) {
    return this.files.export(request, reply);
  }

  @Get(':id')
  @Needs('jobs.view')
  get(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.jobs.get(request, id);
  }

  @Put(':id')
  @Needs('jobs.edit')
  change(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.change(request, reply, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Needs('jobs.edit')
  remove(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.remove(request, reply, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Needs('jobs.pause')
  pause(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.pause(request, reply, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Needs('jobs.pause')
  resume(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.resume(request, reply, id);
  }

  @Post(':id/trigger')
  @HttpCode(202)
  @Needs('jobs.run')
  trigger(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.trigger(request, reply, id);
  }

  @Post(':id/copy')
  @Needs('jobs.edit')
  copy(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.changes.copy(request, reply, id);
  }

  @Get(':id/next-fires')
  @Needs('jobs.view')
  nextFires(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.jobs.nextFires(request, id);
  }

  @Get(':id/history')
  @Needs('jobs.view')
  history(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.histories.of(request, id);
  }

  @Get(':id/versions')
  @Needs('jobs.view')
  versions(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.jobs.versions(request, id);
  }

  @Post(':id/versions/:earlier/restore')
  @HttpCode(200)
  @Needs('jobs.edit')
  restore(
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
    @Param('earlier') earlier: string,
  ) {
    return this.changes.restore(request, reply, id, earlier);
  }

  @Post(':id/backfill')
  @Needs('jobs.run')
  backfill(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.backfills.start(request, reply, id);
  }

  @Get(':id/backfills')
  @Needs('jobs.view')
  listBackfills(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.backfills.list(request, id);
  }

  @Delete(':id/backfills/:backfill')
  @Needs('jobs.run')
  cancelBackfill(
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
    @Param('backfill') backfill: string,
  ) {
    return this.backfills.cancel(request, reply, id, backfill);
  }
}
