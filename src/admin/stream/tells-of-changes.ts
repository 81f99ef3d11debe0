import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Observable, tap } from 'rxjs';
import type { Topic } from '../contract/stream.js';
import { StreamHub } from './stream-hub.js';

const TOPICS: Record<string, readonly Topic[]> = {
  jobs: ['jobs', 'overview'],
  groups: ['groups', 'overview'],
  workers: ['workers', 'overview'],
  tasks: ['tasks', 'overview'],
  bulk: ['bulk'],
  import: ['jobs', 'groups', 'overview'],
};

/** After a change over the API, open consoles hear of it without waiting for a loop to notice. */
@Injectable()
export class TellsOfChanges implements NestInterceptor {
  constructor(private readonly hub: StreamHub) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.method === 'GET') return next.handle();
    const [, , room = '', id = ''] = (request.raw.url ?? '').split(/[/?]/);
    return next
      .handle()
      .pipe(tap(() => this.hub.touch([...(TOPICS[room] ?? []), ...(room === 'tasks' && id ? ([`task:${id}`] as const) : [])])));
  }
}
