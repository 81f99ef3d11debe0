import { Controller, Get, HttpCode, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs } from '../../platform/audience.js';
import { TellsOfChanges } from '../stream/tells-of-changes.js';
import { ConsoleTransferService } from './console-transfer.service.js';

/** The configuration as a file. */
@For('console')
@UseInterceptors(TellsOfChanges)
@Controller('api')
export class TransferController {
  constructor(private readonly transfer: ConsoleTransferService) {}

  @Get('export')
  @Needs('jobs.view')
  export(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.transfer.export(request, reply);
  }

  @Post('import')
  @HttpCode(200)
  @Needs('jobs.edit')
  import(@Req() request: ConsoleRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.transfer.import(request, reply);
  }

  @Post('import/convert')
  @HttpCode(200)
  @Needs('jobs.edit')
  convert(@Req() request: ConsoleRequest) {
    return this.transfer.convert(request);
  }
}
