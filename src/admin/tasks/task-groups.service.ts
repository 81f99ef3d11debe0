import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { failureFingerprint } from '../../decisions/failure-fingerprint.js';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { SqlDialect } from '../../ports.js';
import { objectOf } from '../../tasks/stored-json.js';
import type { TaskGroup, TaskGroups } from '../contract/tasks.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { iso, queryOf, words } from '../request-parts.js';
import { ConsoleTasksService } from './console-tasks.service.js';
import { TASK_FILTERS } from './task-filters.js';
import { type ListedTaskRow, TaskSearchStore } from './task-search.store.js';

const BY = ['job', 'error', 'worker', 'group'] as const;
const QUERY = { ...TASK_FILTERS, by: words(BY) };
/** Tasks looked at for one answer, read in pieces that keep nobody waiting. */
const MOST_TASKS = 5_000;
const AT_ONCE = 500;
const MOST_GROUPS = 200;
const FAILED: readonly number[] = [STATE_CODE.FAILED, STATE_CODE.TIMED_OUT];

/** What a list would show, by what its tasks have in common: a flood is then a line. */
@Injectable()
export class TaskGroupsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly tasks: ConsoleTasksService,
    private readonly store: TaskSearchStore,
    private readonly jobs: ConsoleJobStore,
    private readonly groups: GroupsService,
  ) {}

  async grouped(request: ConsoleRequest): Promise<TaskGroups> {
    const { by = 'job', app, group, ...stated } = queryOf(request, QUERY);
    const search = await this.tasks.search(request.caller, stated, group, app);
    const made = new Map<string, TaskGroup>();
    let counted = 0;
    let before: string | undefined;
    let capped = false;
    for (;;) {
      const { rows, searchedTo } = await this.store.find(this.dialect.root, search, before, AT_ONCE);
      for (const row of rows) this.add(made, row, by);
      counted += rows.length;
      if (searchedTo === null) break;
      // What is looked up in params is looked for no further than one answer goes.
      capped = counted >= MOST_TASKS || (search.params !== undefined && rows.length < AT_ONCE);
      if (capped) break;
      before = searchedTo;
      await new Promise(setImmediate);
    }
    const items = [...made.values()].sort((a, b) => b.count - a.count);
    const shown = items.slice(0, MOST_GROUPS);
    if (by === 'job') await this.name(shown);
    return { by, items: shown, counted, capped: capped || items.length > MOST_GROUPS };
  }

  /** Rows come newest first, so the first of a group is its latest. */
  private add(made: Map<string, TaskGroup>, row: ListedTaskRow, by: (typeof BY)[number]): void {
    const message = objectOf<{ message?: string }>(row.error_json)?.message;
    const of = this.common(row, by, message ?? '');
    const key = `${of.job ?? ''} ${of.handler ?? ''} ${of.text ?? ''}`;
    const known = made.get(key);
    const group = known ?? {
      ...of,
      count: 0,
      failed: 0,
      latest: { id: row.id, at: iso(Number(row.created_at)), error: message ?? null },
    };
    group.count += 1;
    if (FAILED.includes(Number(row.state))) group.failed += 1;
    made.set(key, group);
  }

  private common(row: ListedTaskRow, by: (typeof BY)[number], message: string): Pick<TaskGroup, 'job' | 'handler' | 'text'> {
    if (by === 'error') return { job: null, handler: null, text: failureFingerprint(message) };
    if (by === 'worker') return { job: null, handler: null, text: row.worker_id ?? '' };
    if (by === 'group') return { job: null, handler: null, text: this.groups.byId(row.group_id)?.key ?? '' };
    return row.job_id === null
      ? { job: null, handler: row.handler, text: null }
      : { job: row.job_id, handler: row.handler, text: null };
  }

  private async name(items: TaskGroup[]): Promise<void> {
    const keys = await this.jobs.keysOf(
      this.dialect.root,
      items.flatMap(({ job }) => job ?? []),
    );
    for (const item of items) if (item.job !== null) item.text = keys.get(item.job) ?? null;
  }
}
