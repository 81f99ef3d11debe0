import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import type { JobSummary } from '../contract/jobs.js';
import { FILE_PARAMETERS, type ListFile, sendList } from '../export/list-file.js';
import { queryOf } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { ConsoleJobsService, JOB_FILTERS } from './console-jobs.service.js';
import { JOB_SORT } from './job-pages.js';

const QUERY = { ...JOB_FILTERS, ...JOB_SORT, ...FILE_PARAMETERS };
/** Each comes with its latest tasks, so fewer are read at once than of other lists. */
const STEP = 100;
const COLUMNS: ListFile<JobSummary>['columns'] = [
  ['id', ({ id }) => id],
  ['group', ({ group }) => group],
  ['key', ({ key }) => key],
  ['handler', ({ handler }) => handler],
  ['state', ({ state }) => state],
  ['pauseReason', ({ pauseReason }) => pauseReason],
  ['schedule', ({ schedule }) => JSON.stringify(schedule)],
  ['timeZone', ({ timeZone }) => timeZone],
  ['zone', (_, { zone }) => zone],
  ['lastFireAt', ({ lastFireAt }, { at }) => at(lastFireAt)],
  ['nextFireAt', ({ nextFireAt }, { at }) => at(nextFireAt)],
  ['lastState', ({ recent: [last] }) => last?.state ?? null],
  ['overlap', ({ overlap }) => overlap],
  ['misfire', ({ misfire }) => misfire],
  ['timeoutMs', ({ timeoutMs }) => timeoutMs],
  ['priority', ({ priority }) => priority],
  ['app', ({ app }) => app?.name ?? null],
  ['owner', ({ owner }) => owner],
  ['tags', ({ tags }) => tags.join(' ')],
  ['description', ({ description }) => description],
  ['updatedAt', ({ updatedAt }, { at }) => at(updatedAt)],
];

/** The list of jobs as a file; who took it is logged. What an import takes is another file: `GET /api/export`. */
@Injectable()
export class JobExportService {
  constructor(
    private readonly jobs: ConsoleJobsService,
    private readonly trail: Trail,
  ) {}

  async export(request: ConsoleRequest, reply: FastifyReply): Promise<void> {
    const { format = 'csv', zone, sort = '-id', ...stated } = queryOf(request, QUERY);
    await this.trail.note(authorOf(request.caller, reply), {
      action: 'jobs.exported',
      object: { type: 'job', id: null },
      after: { format, filter: stated },
    });
    const read: ListFile<JobSummary>['read'] = async (cursor, limit) => {
      const { items, nextCursor } = await this.jobs.page(request.caller, stated, {
        sort,
        cursor,
        limit: Math.min(limit, STEP),
      });
      return { rows: items, next: nextCursor };
    };
    await sendList(reply, { name: 'jobs', columns: COLUMNS, read }, { format, zone });
  }
}
