import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { ANYONE, For, Needs } from '../../platform/audience.js';
import { ConsoleSettingsService } from './console-settings.service.js';

/** How the console presents itself to everybody. */
@For('console')
@Controller('api')
export class ConsoleSettingsController {
  constructor(private readonly settings: ConsoleSettingsService) {}

  @Get('site')
  @Needs(ANYONE)
  site() {
    return this.settings.site();
  }

  @Get('settings/environment')
  @Needs('system.view')
  environment() {
    return this.settings.environment();
  }

  @Put('settings/environment')
  @Needs('system.manage')
  setEnvironment(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.settings.setEnvironment(request, reply);
  }

  @Get('settings/live-floor')
  @Needs('system.view')
  liveFloor() {
    return this.settings.liveFloor();
  }

  @Put('settings/live-floor')
  @Needs('system.manage')
  setLiveFloor(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.settings.setLiveFloor(request, reply);
  }
}
