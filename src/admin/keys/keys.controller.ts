import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { ConsoleAppsService } from './console-apps.service.js';
import { ConsoleKeysService } from './console-keys.service.js';

/** Partners and the key pairs of partners and workers. */
@For('console')
@Controller('api')
export class KeysController {
  constructor(
    private readonly apps: ConsoleAppsService,
    private readonly keys: ConsoleKeysService,
  ) {}

  @Get('apps')
  @Needs('keys.view')
  listApps(@Req() request: ConsoleRequest) {
    return this.apps.list(request);
  }

  @Post('apps')
  @Needs('keys.manage')
  createApp(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.apps.create(request, reply);
  }

  @Get('apps/:id')
  @Needs('keys.view')
  getApp(@Param('id') id: string) {
    return this.apps.get(id);
  }

  @Patch('apps/:id')
  @Needs('keys.manage')
  changeApp(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.apps.change(request, reply, id);
  }

  @Get('keys')
  @Needs('keys.view')
  list(@Req() request: ConsoleRequest) {
    return this.keys.list(request);
  }

  @Post('keys')
  @Needs('keys.manage')
  create(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.keys.create(request, reply);
  }

  @Get('keys/:accessKey')
  @Needs('keys.view')
  get(@Param('accessKey') accessKey: string) {
    return this.keys.get(accessKey);
  }

  @Patch('keys/:accessKey')
  @Needs('keys.manage')
  change(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('accessKey') accessKey: string) {
    return this.keys.change(request, reply, accessKey);
  }

  @Post('keys/:accessKey/rotate')
  @Needs('keys.manage')
  rotate(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('accessKey') accessKey: string) {
    return this.keys.rotate(request, reply, accessKey);
  }

  @Post('keys/:accessKey/disable')
  @HttpCode(200)
  @Needs('keys.manage')
  disable(
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('accessKey') accessKey: string,
  ) {
    return this.keys.setState(request, reply, accessKey, 'disable');
  }

  @Post('keys/:accessKey/enable')
  @HttpCode(200)
  @Needs('keys.manage')
  enable(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('accessKey') accessKey: string) {
    return this.keys.setState(request, reply, accessKey, 'enable');
  }

  @Delete('keys/:accessKey')
  @HttpCode(204)
  @Needs('keys.manage')
  remove(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('accessKey') accessKey: string) {
    return this.keys.remove(request, reply, accessKey);
  }
}
