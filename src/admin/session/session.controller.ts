import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { ANYONE, For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { ConsoleSessionService } from './session.service.js';

/** Who is at the console. */
@For('console')
@Controller('api/session')
export class ConsoleSessionController {
  constructor(private readonly session: ConsoleSessionService) {}

  @Post()
  @HttpCode(200)
  @Needs(ANYONE)
  signIn(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.session.signIn(request, reply);
  }

  @Get()
  @Needs(SIGNED_IN)
  whoAmI(@Req() request: ConsoleRequest) {
    return this.session.whoAmI(request);
  }

  @Delete()
  @HttpCode(204)
  @Needs(SIGNED_IN)
  signOut(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.session.signOut(request, reply);
  }

  @Post('password')
  @HttpCode(204)
  @Needs(SIGNED_IN)
  changePassword(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.session.changePassword(request, reply);
  }

  @Get('all')
  @Needs(SIGNED_IN)
  own(@Req() request: ConsoleRequest) {
    return this.session.own(request);
  }

  @Delete('all/:id')
  @HttpCode(204)
  @Needs(SIGNED_IN)
  endOwn(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string) {
    return this.session.endOwn(request, reply, id);
  }
}
