import { Controller, Get } from '@nestjs/common';
import { For, Needs } from '../../platform/audience.js';
import { SystemService } from './system.service.js';

/** What the installation is; nothing here changes anything. */
@For('console')
@Controller('api')
export class SystemController {
  constructor(private readonly system: SystemService) {}

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
}
