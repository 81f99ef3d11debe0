import { Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import * as documented from './document/job-operations.js';
import { JobActionsService } from './job-actions.service.js';
import { JobDefinitionsService } from './job-definitions.service.js';
import { noQuery } from './task-query.js';

const JSON_TEXT = ['content-type', 'application/json; charset=utf-8'] as const;

/** Jobs, as partners define them and run them by hand. */
@For('partner')
@ApiTags('Jobs')
@Controller('openapi/v1/jobs')
export class JobsController {
  constructor(
    private readonly definitions: JobDefinitionsService,
    private readonly actions: JobActionsService,
  ) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('jobs:write')
  @documented.CreateJobOperation()
  create(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    noQuery(request.signedQuery);
    return this.definitions.create(request, reply);
  }

  @Get()
  @NeedsScope('jobs:read')
  @documented.ListJobsOperation()
  list(@Req() request: PartnerRequest) {
    return this.actions.list(request);
  }

  @Get(':id')
  @NeedsScope('jobs:read')
  @Header(...JSON_TEXT)
  @documented.GetJobOperation()
  get(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.get(request, id);
  }

  @Put(':id')
  @NeedsScope('jobs:write')
  @Header(...JSON_TEXT)
  @documented.ChangeJobOperation()
  async change(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.view(await this.definitions.change(request, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('jobs:write')
  @documented.DeleteJobOperation()
  remove(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.remove(request, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @NeedsScope('jobs:write')
  @Header(...JSON_TEXT)
  @documented.PauseJobOperation()
  pause(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.pause(request, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @NeedsScope('jobs:write')
  @Header(...JSON_TEXT)
  @documented.ResumeJobOperation()
  resume(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.resume(request, id);
  }

  @Post(':id/trigger')
  @HttpCode(202)
  @NeedsScope('jobs:write')
  @Header(...JSON_TEXT)
  @documented.TriggerJobOperation()
  trigger(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.actions.trigger(request, reply, id);
  }

  @Get(':id/next-fires')
  @NeedsScope('jobs:read')
  @documented.NextFiresOperation()
  nextFires(@Req() request: PartnerRequest, @Param('id') id: string) {
    return this.actions.nextFires(request, id);
  }
}
