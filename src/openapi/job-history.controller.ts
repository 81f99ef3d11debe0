import { Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import * as documented from './document/job-history-operations.js';
import { JobHistoryService } from './job-history.service.js';
import { noQuery } from './task-query.js';

const JSON_TEXT = ['content-type', 'application/json; charset=utf-8'] as const;

/** What jobs have been and are to make up for. */
@For('partner')
@ApiTags('Jobs')
@Controller('openapi/v1/jobs')
export class JobHistoryController {
  constructor(private readonly history: JobHistoryService) {}

  @Get(':id/versions')
  @NeedsScope('jobs:read')
  @Header(...JSON_TEXT)
  @documented.ListJobVersionsOperation()
  versions(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.history.versions(request, id);
  }

  @Post(':id/restore')
  @HttpCode(200)
  @NeedsScope('jobs:write')
  @Header(...JSON_TEXT)
  @documented.RestoreJobOperation()
  restore(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.history.restore(request, id);
  }

  @Post(':id/backfill')
  @HttpCode(202)
  @NeedsScope('jobs:write')
  @documented.BackfillJobOperation()
  backfill(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.history.backfill(request, reply, id);
  }

  @Get(':id/backfills')
  @NeedsScope('jobs:read')
  @documented.ListBackfillsOperation()
  backfills(@Req() request: PartnerRequest, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.history.listBackfills(request, id);
  }
}
