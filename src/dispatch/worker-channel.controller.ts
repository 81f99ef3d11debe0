import type { HeartbeatAnswer, LogsAnswer, RegisterAnswer, ResultsAnswer } from '@evenkeel/sdk/contract';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { For, type WorkerCaller } from '../platform/audience.js';
import { WorkerChannelService } from './worker-channel.service.js';

/** Set by the guard: it verified the signature and parsed the body. */
interface WorkerRequest {
  caller: WorkerCaller;
  body: unknown;
}

@Controller('worker/v1')
@For('worker')
export class WorkerChannelController {
  constructor(private readonly channel: WorkerChannelService) {}

  @Post('register')
  @HttpCode(200)
  register(@Req() { body, caller }: WorkerRequest): Promise<RegisterAnswer> {
    return this.channel.register(body, caller);
  }

  @Post('heartbeat')
  @HttpCode(200)
  heartbeat(@Req() { body, caller }: WorkerRequest): Promise<HeartbeatAnswer> {
    return this.channel.heartbeat(body, caller);
  }

  @Post('results')
  @HttpCode(200)
  results(@Req() { body, caller }: WorkerRequest): Promise<ResultsAnswer> {
    return this.channel.results(body, caller);
  }

  @Post('logs')
  @HttpCode(200)
  logs(@Req() { body, caller }: WorkerRequest): Promise<LogsAnswer> {
    return this.channel.logs(body, caller);
  }

  @Post('deregister')
  @HttpCode(200)
  deregister(@Req() { body, caller }: WorkerRequest): Promise<Record<string, never>> {
    return this.channel.deregister(body, caller);
  }
}
