import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AuditService } from '../../auth/audit.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { SqlDialect } from '../../ports.js';
import type { TaskSummary } from '../contract/tasks.js';
import { CSV_BEGIN, csvLine } from '../export/csv.js';
import { type WrittenZone, zoneOf, zoneParameter } from '../export/zone.js';
import { queryOf, words } from '../request-parts.js';
import { authorOf } from '../trail.js';
import { ConsoleTasksService } from './console-tasks.service.js';
import { TASK_FILTERS } from './task-filters.js';
import type { TaskSearch } from './task-search.js';
import { TaskSearchStore } from './task-search.store.js';

const QUERY = { ...TASK_FILTERS, format: words(['csv', 'ndjson']), zone: zoneParameter };
const STEP = 500;
const MOST = 100_000;

/** The list as a file, read step by step while the client reads, newest first and at most 100 000; who took it is logged. */
@Injectable()
export class TaskExportService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly tasks: ConsoleTasksService,
    private readonly store: TaskSearchStore,
    private readonly audit: AuditService,
  ) {}

  async export(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { format = 'csv', zone, app, group, ...stated } = queryOf(request, QUERY);
    const search = await this.tasks.search(request.caller, stated, group, app);
    const { tell, also: _, ...author } = authorOf(request.caller, reply);
    const after = { format, filter: { ...stated, app, group } };
    tell(await this.audit.note({ ...author, action: 'tasks.exported', object: { type: 'task', id: null }, after }));
    reply.header('content-disposition', `attachment; filename="tasks.${format}"`);
    if (format === 'ndjson') {
      reply.header('content-type', 'application/x-ndjson; charset=utf-8');
      await reply.send(Readable.from(this.read(search, (task) => `${JSON.stringify(task)}\n`)));
      return;
    }
    const { columns, line } = csvOf(zone ?? (zoneOf('UTC') as WrittenZone));
    reply.header('content-type', 'text/csv; charset=utf-8');
    await reply.send(Readable.from(this.read(search, line, CSV_BEGIN + csvLine(columns))));
  }

  private async *read(search: TaskSearch, line: (task: TaskSummary) => string, head = ''): AsyncGenerator<string> {
    if (head) yield head;
    let before: string | undefined;
    for (let told = 0; told < MOST; ) {
      const { rows, searchedTo } = await this.store.find(this.dialect.root, search, before, Math.min(STEP, MOST - told));
      const tasks = await this.tasks.summaries(rows);
      if (tasks.length > 0) yield tasks.map(line).join('');
      if (searchedTo === null) return;
      told += rows.length;
      before = searchedTo;
    }
  }
}

function csvOf({ name, local }: WrittenZone): { columns: string[]; line: (task: TaskSummary) => string } {
  const at = (instant: string | null) => (instant === null ? null : local(instant));
  const columns: [string, (task: TaskSummary) => string | number | null][] = [
    ['id', ({ id }) => id],
    ['state', ({ state }) => state],
    ['group', ({ group }) => group],
    ['job', ({ job }) => job && (job.key ?? job.id)],
    ['handler', ({ handler }) => handler],
    ['clientRequestId', ({ clientRequestId }) => clientRequestId],
    ['trigger', ({ trigger }) => trigger],
    ['zone', () => name],
    ['createdAt', ({ createdAt }) => at(createdAt)],
    ['dueAt', ({ dueAt }) => at(dueAt)],
    ['startedAt', ({ startedAt }) => at(startedAt)],
    ['finishedAt', ({ finishedAt }) => at(finishedAt)],
    ['attempt', ({ attempt }) => attempt],
    ['worker', ({ worker }) => worker],
    ['reason', ({ reason }) => reason],
    ['error', ({ error }) => error?.message ?? null],
  ];
  return { columns: columns.map(([title]) => title), line: (task) => csvLine(columns.map(([, cell]) => cell(task))) };
}
