import { Controller, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { ConsoleMaintenanceService } from './console-maintenance.service.js';
import { NoticesService } from './notices.service.js';
import { SystemService } from './system.service.js';

/** What the installation is, and what of it is set while it runs. */
@For('console')
@Controller('api')
export class SystemController {
  constructor(
    private readonly system: SystemService,
    private readonly watch: NoticesService,
    private readonly maintenance: ConsoleMaintenanceService,
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

  @Get('settings/maintenance')
  @Needs('system.view')
  maintenanceHold() {
    return this.maintenance.view();
  }

  @Post('settings/maintenance/hold')
  @HttpCode(200)
  @Needs('system.manage')
  hold(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.maintenance.hold(request, reply);
  }

  @Post('settings/maintenance/release')
  @HttpCode(200)
  @Needs('system.manage')
  release(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.maintenance.release(request, reply);
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
