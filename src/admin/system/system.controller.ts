import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { NoticesService } from './notices.service.js';
import { SystemService } from './system.service.js';

/** What the installation is; nothing here changes anything. */
@For('console')
@Controller('api')
export class SystemController {
  constructor(
    private readonly system: SystemService,
    private readonly watch: NoticesService,
  ) {}

  @Get('notices')
  @Needs(SIGNED_IN)
  notices(@Req() request: ConsoleRequest) {
    return this.watch.notices(request);
  }

  @Get('settings')
  @Needs('system.view')
  settings() {
    return this.system.settings();
  }

  @Get('system')
  @Needs('system.view')
  state() {
    return this.system.system();
  }

  @Get('settings/routing')
  @Needs('system.view')
  routing() {
    return this.system.routing();
  }

  @Put('settings/routing')
  @Needs('system.manage')
  setRouting(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.system.setRouting(request, reply);
  }
}
