import type { HeartbeatAnswer, LogsAnswer, RegisterAnswer, ResultsAnswer } from '@evenkeel/sdk/contract';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { For } from '../platform/audience.js';
import type { WorkerRequest } from '../platform/http/request.js';
import { WorkerChannelService, type WorkerMessage } from './worker-channel.service.js';

@Controller('worker/v1')
@For('worker')
export class WorkerChannelController {
  constructor(private readonly channel: WorkerChannelService) {}

  @Post('register')
  @HttpCode(200)
  register(@Req() request: WorkerRequest): Promise<RegisterAnswer> {
    return this.channel.register(messageOf(request), request.caller);
  }

  @Post('heartbeat')
  @HttpCode(200)
  heartbeat(@Req() request: WorkerRequest): Promise<HeartbeatAnswer> {
    const { unreadable, bodyText, caller } = request;
    return unreadable
      ? this.channel.refuseBeat(unreadable, bodyText, caller)
      : this.channel.heartbeat(messageOf(request), caller);
  }

  @Post('results')
  @HttpCode(200)
  results(@Req() request: WorkerRequest): Promise<ResultsAnswer> {
    return this.channel.results(messageOf(request), request.caller);
  }

  @Post('logs')
  @HttpCode(200)
  logs(@Req() request: WorkerRequest): Promise<LogsAnswer> {
    return this.channel.logs(messageOf(request), request.caller);
  }

  @Post('deregister')
  @HttpCode(200)
  deregister(@Req() request: WorkerRequest): Promise<Record<string, never>> {
    return this.channel.deregister(messageOf(request), request.caller);
  }
}

/** Throws what the guard found wrong with the body. */
function messageOf({ unreadable, body, bodyText }: WorkerRequest): WorkerMessage {
  if (unreadable) throw unreadable;
  return { body, text: bodyText };
}
