import { Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { For, NeedsScope } from '../platform/audience.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { BatchService } from './batch.service.js';
import { CancellationsService } from './cancellations.service.js';
import {
  CancelTaskOperation,
  GetTaskLogsOperation,
  GetTaskOperation,
  ListTasksOperation,
  RetryTaskOperation,
  RunTaskOperation,
  SubmitBatchOperation,
  SubmitTaskOperation,
} from './document/operations.js';
import { RetriesService } from './retries.service.js';
import { RunsService } from './runs.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskLogsService } from './task-logs.service.js';
import { TaskQueriesService } from './task-queries.service.js';
import { noQuery } from './task-query.js';

const JSON_TEXT = ['content-type', 'application/json; charset=utf-8'] as const;

/** Tasks, as partners create and follow them. */
@For('partner')
@ApiTags('Tasks')
@Controller('openapi/v1/tasks')
export class TasksController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly batches: BatchService,
    private readonly runs: RunsService,
    private readonly queries: TaskQueriesService,
    private readonly cancellations: CancellationsService,
    private readonly retries: RetriesService,
    private readonly taskLogs: TaskLogsService,
  ) {}

  @Post()
  @HttpCode(202)
  @NeedsScope('tasks:write')
  @SubmitTaskOperation()
  submit(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    noQuery(request.signedQuery);
    return this.submissions.submit(request, reply);
  }

  @Post('batch')
  @HttpCode(202)
  @NeedsScope('tasks:write')
  @SubmitBatchOperation()
  submitBatch(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    noQuery(request.signedQuery);
    return this.batches.submit(request, reply);
  }

  @Post('run')
  @HttpCode(200)
  @NeedsScope('tasks:write')
  @Header(...JSON_TEXT)
  @RunTaskOperation()
  run(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    noQuery(request.signedQuery);
    return this.runs.run(request, reply);
  }

  @Get()
  @NeedsScope('tasks:read')
  @ListTasksOperation()
  list(@Req() request: PartnerRequest) {
    return this.queries.list(request);
  }

  @Get(':id')
  @NeedsScope('tasks:read')
  @Header(...JSON_TEXT)
  @GetTaskOperation()
  get(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.queries.get(request, reply, id);
  }

  @Get(':id/logs')
  @NeedsScope('tasks:read')
  @GetTaskLogsOperation()
  logs(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.taskLogs.page(request, reply, id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @NeedsScope('tasks:write')
  @Header(...JSON_TEXT)
  @CancelTaskOperation()
  cancel(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.cancellations.cancel(request, reply, id);
  }

  @Post(':id/retry')
  @HttpCode(202)
  @NeedsScope('tasks:write')
  @Header(...JSON_TEXT)
  @RetryTaskOperation()
  retry(@Req() request: PartnerRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    noQuery(request.signedQuery);
    return this.retries.retry(request, reply, id);
  }
}
