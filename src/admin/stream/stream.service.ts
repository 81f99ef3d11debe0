import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { type Said, said } from '../../decisions/field-sentences.js';
import { AppError } from '../../platform/errors.js';
import { ANSWER_HEADERS } from '../../platform/http/answer-headers.js';
import { isId } from '../../platform/ids.js';
import type { Topic } from '../contract/stream.js';
import { queryOf, shortText } from '../request-parts.js';
import { ConsoleTasksService } from '../tasks/console-tasks.service.js';
import { StreamHub } from './stream-hub.js';
import { Watch } from './watch.js';

const PLAIN: readonly string[] = ['tasks', 'jobs', 'workers', 'groups', 'overview', 'bulk', 'callbacks'] satisfies Topic[];
const MOST_TOPICS = 32;
/** A browser whose stream broke waits for so long, each for another while: they do not all come back in the same moment. */
const RETRY_MS = 2_000;
const RETRY_SPREAD_MS = 2_000;

/** Opens streams, for what the caller may see. */
@Injectable()
export class StreamService {
  constructor(
    private readonly hub: StreamHub,
    private readonly tasks: ConsoleTasksService,
  ) {}

  async open(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { topics: stated, after } = queryOf(request, { topics: shortText(2_048), after: shortText(64) });
    const topics = new Set((stated ?? '').split(',').filter(Boolean)) as Set<Topic>;
    if (topics.size === 0 || topics.size > MOST_TOPICS) throw broken(said('topics', { max: MOST_TOPICS }));
    for (const topic of topics) await this.check(request, topic);
    const { caller } = request;
    // A stream has its connection to itself: when it ends, so does that, and no shutdown waits for it to be idle long enough.
    const headers = {
      ...ANSWER_HEADERS,
      connection: 'close',
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    };
    reply.hijack();
    reply.raw.writeHead(200, { ...headers, 'x-request-id': request.id });
    reply.raw.write(`retry: ${RETRY_MS + Math.floor(Math.random() * RETRY_SPREAD_MS)}\n\n`);
    const own = request.headers['last-event-id'];
    const watch = new Watch(caller.session.id, topics, caller.rights, reply.raw);
    const close = this.hub.open(watch, typeof own === 'string' ? own : after);
    reply.raw.once('close', close);
  }

  private async check({ caller }: ConsoleRequest, topic: string): Promise<void> {
    if (PLAIN.includes(topic)) return;
    const id = topic.startsWith('task:') ? topic.slice('task:'.length) : '';
    if (!isId('task', id)) throw broken(said('topic', { topic: topic.slice(0, 64), topics: PLAIN.join(', ') }));
    await this.tasks.found(caller, id);
  }
}

const broken = (words: Said): AppError => AppError.fields([{ pointer: '/query/topics', code: 'bad_format', ...words }]);
