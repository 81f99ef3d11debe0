import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { StreamService } from './stream.service.js';

/** What becomes out of date, as it happens. */
@For('console')
@Controller('api/stream')
export class StreamController {
  constructor(private readonly streams: StreamService) {}

  @Get()
  @Needs(SIGNED_IN)
  open(@Req() request: ConsoleRequest, @Res() reply: FastifyReply) {
    return this.streams.open(request, reply);
  }
}
