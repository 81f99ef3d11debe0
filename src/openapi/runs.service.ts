import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Standing } from '../auth/standing.js';
import { FAST_PATH_MS } from '../decisions/recent-run-times.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { HeldRequests } from '../platform/http/held-requests.js';
import type { PartnerRequest } from '../platform/http/request.js';
import type { NewTask } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { Room } from './room.js';
import { RunTimesService } from './run-times.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskQueriesService } from './task-queries.service.js';

/**
 * Submits a task and stays for its end, three seconds at most. The task is durable before anybody waits, so whatever becomes of the
 * wait, the connection or this process, it is an ordinary task: found by its id, repeated by its clientRequestId.
 */
@Injectable()
export class RunsService {
  constructor(
    private readonly room: Room,
    private readonly submissions: SubmissionsService,
    private readonly queries: TaskQueriesService,
    private readonly tasks: TasksService,
    private readonly runTimes: RunTimesService,
    private readonly clock: Clock,
    private readonly held: HeldRequests,
    private readonly standing: Standing,
  ) {}

  /** JSON text: of the finished task with 200, of the receipt with 202; to whom may still run it then. Throws AppError, `use_async` among them. */
  async run(request: PartnerRequest, reply: FastifyReply): Promise<string> {
    const until = this.clock.monotonic() + FAST_PATH_MS;
    const task = await this.submissions.admitted(request);
    await this.refuseLongWork(task);
    const { receipt, record } = await this.submissions.store(task, request, reply, FAST_PATH_MS);
    const left = until - this.clock.monotonic();
    if (left > 0 && record.scheduledAt - this.clock.now() < left) {
      await this.tasks.waitForEnd(record.id, left, this.held.signalOf(reply));
      const now = await this.queries.own(await this.standing.again(request, reply, 'tasks:write'), record.id);
      if (isTerminal(now.state)) return this.queries.view(now);
    }
    reply.code(202);
    return JSON.stringify(receipt);
  }

  /** A repeated request is answered from what it created, however long its handler takes by now. */
  private async refuseLongWork(task: NewTask): Promise<void> {
    const declared = task.expectedDurationMs ?? 0;
    const seen = this.runTimes.p95(task.group.id, task.handler) ?? 0;
    if (Math.max(declared, seen) < FAST_PATH_MS || (await this.room.isKnown(task.appId, task.clientRequestId))) return;
    const why = declared >= FAST_PATH_MS ? 'is declared to take' : 'took of late';
    throw new AppError(
      'use_async',
      `the work ${why} ${FAST_PATH_MS} ms or more: submit it to /openapi/v1/tasks and ask for its end`,
    );
  }
}
