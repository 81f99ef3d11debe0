import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { For } from '../audience.js';
import { Readiness } from './health.js';

/** For load balancers and containers: is the process alive, and should it get traffic. Tells nothing a stranger could use. */
@For('public')
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  healthz() {
    return { status: 'ok' };
  }

  @Get('readyz')
  async readyz(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, checks } = await this.readiness.ask();
    reply.code(ready ? 200 : 503);
    return { status: ready ? 'ready' : 'not_ready', checks };
  }
}
