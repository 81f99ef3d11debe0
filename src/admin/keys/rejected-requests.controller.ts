import { Controller, Get, Param, Req } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { RejectedRequestsService } from './rejected-requests.service.js';

/** Requests of partners and workers that were refused at the door. */
@For('console')
@Controller('api/rejected-requests')
export class RejectedRequestsController {
  constructor(private readonly rejected: RejectedRequestsService) {}

  @Get()
  @Needs('keys.view')
  list(@Req() request: ConsoleRequest) {
    return this.rejected.list(request);
  }

  @Get('unknown')
  @Needs('keys.manage')
  unknown(@Req() request: ConsoleRequest) {
    return this.rejected.unknown(request);
  }

  @Get(':id')
  @Needs('keys.view')
  get(@Req() request: ConsoleRequest, @Param('id') id: string) {
    return this.rejected.get(request, id);
  }
}
