import { Controller, Get, HttpCode, Param, Patch, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { WorkerInsightService } from '../workers/worker-insight.service.js';
import { ConsoleGroupsService } from './console-groups.service.js';
import { GroupInsightService } from './group-insight.service.js';

/** Groups, as operators steer them. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api/groups')
export class ConsoleGroupsController {
  constructor(
    private readonly groups: ConsoleGroupsService,
    private readonly insight: WorkerInsightService,
    private readonly about: GroupInsightService,
  ) {}

  @Get()
  @Needs('groups.view')
  list(@Req() request: ConsoleRequest) {
    return this.groups.list(request);
  }

  @Post()
  @Needs('groups.create')
  create(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.groups.create(request, reply);
  }

  @Get(':key')
  @Needs('groups.view')
  get(@Req() request: ConsoleRequest, @Param('key') key: string) {
    return this.groups.get(request, key);
  }

  @Get(':key/shares')
  @Needs('groups.view')
  shares(@Req() request: ConsoleRequest, @Param('key') key: string) {
    return this.about.shares(request, key);
  }

  @Get(':key/access')
  @Needs('groups.view')
  access(@Req() request: ConsoleRequest, @Param('key') key: string) {
    return this.about.access(request, key);
  }

  @Get(':key/balance')
  @Needs('workers.view')
  balance(@Req() request: ConsoleRequest, @Param('key') key: string) {
    return this.insight.balance(request, key);
  }

  @Patch(':key')
  @Needs('groups.edit')
  change(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('key') key: string) {
    return this.groups.change(request, reply, key);
  }

  @Post(':key/archive')
  @HttpCode(200)
  @Needs('groups.edit')
  archive(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('key') key: string) {
    return this.groups.archive(request, reply, key);
  }

  @Post(':key/unarchive')
  @HttpCode(200)
  @Needs('groups.edit')
  unarchive(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('key') key: string) {
    return this.groups.unarchive(request, reply, key);
  }

  @Post(':key/hold')
  @HttpCode(200)
  @Needs('groups.hold')
  hold(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('key') key: string) {
    return this.groups.hold(request, reply, key);
  }

  @Post(':key/release')
  @HttpCode(200)
  @Needs('groups.hold')
  release(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('key') key: string) {
    return this.groups.release(request, reply, key);
  }
}
