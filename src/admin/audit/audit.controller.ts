import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { ConsoleAuditService } from './console-audit.service.js';

/** Who changed what. */
@For('console')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly audit: ConsoleAuditService) {}

  @Get()
  @Needs('audit.view')
  list(@Req() request: ConsoleRequest) {
    return this.audit.list(request);
  }

  @Get('export')
  @Needs('audit.view')
  export(@Req() request: ConsoleRequest, @Res() reply: FastifyReply) {
    return this.audit.export(request, reply);
  }
}
