import { LIMITS, type TaskLogPage } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Standing } from '../auth/standing.js';
import { HeldRequests } from '../platform/http/held-requests.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { LOG_BEGIN, TaskLogs } from '../tasks/task-logs.js';
import { logCursorAfter } from './cursor.js';
import { TaskQueriesService } from './task-queries.service.js';
import { logsQuery } from './task-query.js';

/** What partners may read of the logs of their tasks. */
@Injectable()
export class TaskLogsService {
  constructor(
    private readonly logs: TaskLogs,
    private readonly queries: TaskQueriesService,
    private readonly held: HeldRequests,
    private readonly standing: Standing,
  ) {}

  /** With `wait`, once there is a line or the task has ended, to whom may read it then. Throws AppError `task_not_found`. */
  async page(request: PartnerRequest, reply: FastifyReply, id: string): Promise<TaskLogPage> {
    const { cursor = LOG_BEGIN, limit = LIMITS.listPage, wait = 0 } = logsQuery(request.signedQuery);
    await this.queries.own(request.caller, id);
    const { lines, after, done } = await this.logs.pageWithin(id, cursor, limit, wait * 1000, this.held.signalOf(reply));
    if (wait > 0) await this.queries.own(await this.standing.again(request, reply, 'tasks:read'), id);
    return {
      items: lines.map(({ attempt, seq, at, level, message, fields }) => {
        const line = { attempt, seq, at: new Date(at).toISOString(), level, message };
        return fields ? { ...line, fields } : line;
      }),
      nextCursor: done ? null : logCursorAfter(after),
    };
  }
}
