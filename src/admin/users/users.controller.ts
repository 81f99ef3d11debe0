import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { ConsoleUsersService } from './users.service.js';

/** People and their roles. */
@For('console')
@Controller('api')
export class ConsoleUsersController {
  constructor(private readonly users: ConsoleUsersService) {}

  @Get('roles')
  @Needs(SIGNED_IN)
  roles() {
    return this.users.roles();
  }

  @Get('users')
  @Needs('users.view')
  list() {
    return this.users.list();
  }

  @Post('users')
  @Needs('users.manage')
  create(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.users.create(request, reply);
  }

  @Get('users/:username')
  @Needs('users.view')
  get(@Param('username') username: string) {
    return this.users.get(username);
  }

  @Patch('users/:username')
  @Needs('users.manage')
  change(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('username') username: string) {
    return this.users.change(request, reply, username);
  }

  @Post('users/:username/password')
  @HttpCode(204)
  @Needs('users.manage')
  setPassword(
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('username') username: string,
  ) {
    return this.users.setPassword(request, reply, username);
  }

  @Delete('users/:username')
  @HttpCode(204)
  @Needs('users.manage')
  remove(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('username') username: string) {
    return this.users.remove(request, reply, username);
  }

  @Get('users/:username/sessions')
  @Needs('users.manage')
  sessions(@Req() request: ConsoleRequest, @Param('username') username: string) {
    return this.users.sessionsOf(request, username);
  }

  @Delete('users/:username/sessions/:id')
  @HttpCode(204)
  @Needs('users.manage')
  endSession(
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('username') username: string,
    @Param('id') id: string,
  ) {
    return this.users.endSession(request, reply, username, id);
  }
}
