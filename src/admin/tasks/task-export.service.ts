import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import type { TaskSummary } from '../contract/tasks.js';
import { FILE_PARAMETERS, type ListFile, sendList } from '../export/list-file.js';
import { queryOf } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { ConsoleTasksService } from './console-tasks.service.js';
import { TASK_FILTERS } from './task-filters.js';
import { TASK_SORT, TaskPages } from './task-pages.js';

const QUERY = { ...TASK_FILTERS, ...TASK_SORT, ...FILE_PARAMETERS };
const COLUMNS: ListFile<TaskSummary>['columns'] = [
  ['id', ({ id }) => id],
  ['state', ({ state }) => state],
  ['group', ({ group }) => group],
  ['job', ({ job }) => job && (job.key ?? job.id)],
  ['handler', ({ handler }) => handler],
  ['clientRequestId', ({ clientRequestId }) => clientRequestId],
  ['trigger', ({ trigger }) => trigger],
  ['zone', (_, { zone }) => zone],
  ['createdAt', ({ createdAt }, { at }) => at(createdAt)],
  ['dueAt', ({ dueAt }, { at }) => at(dueAt)],
  ['startedAt', ({ startedAt }, { at }) => at(startedAt)],
  ['finishedAt', ({ finishedAt }, { at }) => at(finishedAt)],
  ['attempt', ({ attempt }) => attempt],
  ['worker', ({ worker }) => worker],
  ['reason', ({ reason }) => reason],
  ['error', ({ error }) => error?.message ?? null],
];

/** The list of tasks as a file; who took it is logged. */
@Injectable()
export class TaskExportService {
  constructor(
    private readonly tasks: ConsoleTasksService,
    private readonly pages: TaskPages,
    private readonly trail: Trail,
  ) {}

  async export(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { format = 'csv', zone, sort = '-id', app, group, ...stated } = queryOf(request, QUERY);
    const search = await this.tasks.search(request.caller, stated, group, app);
    await this.trail.note(authorOf(request.caller, reply), {
      action: 'tasks.exported',
      object: { type: 'task', id: null },
      after: { format, filter: { ...stated, app, group } },
    });
    const read: ListFile<TaskSummary>['read'] = async (cursor, limit) => {
      const { rows, nextCursor } = await this.pages.page(search, sort, cursor, limit);
      return { rows: await this.tasks.summaries(rows), next: nextCursor };
    };
    await sendList(reply, { name: 'tasks', columns: COLUMNS, read }, { format, zone });
  }
}
