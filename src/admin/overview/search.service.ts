import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import { AppsService } from '../../auth/apps.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { said } from '../../decisions/field-sentences.js';
import { may, type Rights } from '../../decisions/permissions.js';
import { stateOf } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { AppError } from '../../platform/errors.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import { shownStateOf } from '../../registry/worker.js';
import type { SearchAction, SearchAnswer } from '../contract/overview.js';
import { ConsoleJobStore } from '../jobs/console-job.store.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { queryOf, shortText } from '../request-parts.js';
import { ConsoleTasksService } from '../tasks/console-tasks.service.js';
import { TaskSearchStore } from '../tasks/task-search.store.js';
import { ConsoleWorkersService } from '../workers/console-workers.service.js';

const EACH = 8;
const ACTIONS: readonly SearchAction[] = ['tasks.cancel', 'jobs.run', 'jobs.pause', 'workers.drain'];

/** Finds by id, key, name or request id, among what the caller may see; never by reading through tasks. */
@Injectable()
export class SearchService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly tasks: ConsoleTasksService,
    private readonly taskStore: TaskSearchStore,
    private readonly jobs: ConsoleJobsService,
    private readonly jobStore: ConsoleJobStore,
    private readonly groups: GroupsService,
    private readonly workers: ConsoleWorkersService,
    private readonly apps: AppsService,
    private readonly keys: AccessKeysService,
  ) {}

  async search(request: ConsoleRequest): Promise<SearchAnswer> {
    const { q } = queryOf(request, { q: shortText(128) });
    if (q === undefined) throw AppError.fields([{ pointer: '/query/q', code: 'required', ...said('required') }]);
    const text = q.trim().toLowerCase();
    const hits = [
      ...(await this.ofTasks(request, q.trim())),
      ...(await this.ofJobs(request, text)),
      ...this.ofFleet(request, text),
      ...(await this.ofPartners(request, text)),
    ];
    return { hits };
  }

  private async ofTasks({ caller }: ConsoleRequest, q: string): Promise<SearchAnswer['hits']> {
    const stated = isId('task', q) ? {} : { clientRequestId: q };
    const search = await this.tasks.search(caller, stated, undefined, undefined);
    const { rows } = await this.taskStore.find(
      this.dialect.root,
      isId('task', q) ? { ...search, ids: [q] } : search,
      undefined,
      EACH,
    );
    return rows.map((row) => {
      const group = this.groups.byId(row.group_id)?.key ?? '';
      const name = row.client_request_id ?? row.handler;
      const state = stateOf(row.state);
      const permissions = isTerminal(state) ? [] : allowed(caller.rights, 'tasks.', [group]);
      return { type: 'task' as const, id: row.id, name, group, state, permissions };
    });
  }

  private async ofJobs({ caller }: ConsoleRequest, text: string): Promise<SearchAnswer['hits']> {
    const groupIds = this.jobs.groupIds(caller, 'jobs.view');
    const found = await this.jobStore.list(this.dialect.root, { groupIds, text, limit: EACH });
    return found.map((job) => {
      const group = this.jobs.groupKey(job);
      const permissions = allowed(caller.rights, 'jobs.', [group]);
      return { type: 'job' as const, id: job.id, name: job.key, group, state: job.state, permissions };
    });
  }

  private ofFleet({ caller }: ConsoleRequest, text: string): SearchAnswer['hits'] {
    const groups = this.groups
      .all()
      .filter(({ key }) => key.toLowerCase().includes(text) && may(caller.rights, 'groups.view', key))
      .map(({ key }) => ({ type: 'group' as const, id: key, name: key, group: key, state: null, permissions: [] }));
    const workers = this.workers
      .visible(caller)
      .filter(({ workerId }) => workerId.toLowerCase().includes(text))
      .map((worker) => ({
        type: 'worker' as const,
        id: worker.workerId,
        name: worker.workerId,
        group: worker.offer.groups.find((group) => may(caller.rights, 'workers.view', group)) ?? null,
        state: shownStateOf(worker),
        permissions: allowed(caller.rights, 'workers.', worker.offer.groups),
      }));
    return [...groups.slice(0, EACH), ...workers.slice(0, EACH)];
  }

  private async ofPartners({ caller }: ConsoleRequest, text: string): Promise<SearchAnswer['hits']> {
    if (!may(caller.rights, 'keys.view', null)) return [];
    const apps = (await this.apps.list())
      .filter(({ name, publicId }) => `${name} ${publicId}`.toLowerCase().includes(text))
      .map(({ publicId, name }) => ({ type: 'app' as const, id: publicId, name, group: null, state: null, permissions: [] }));
    const keys = (await this.keys.all())
      .filter(({ accessKey, label }) => `${accessKey} ${label}`.toLowerCase().includes(text))
      .map(({ accessKey, label, state }) => ({
        type: 'key' as const,
        id: accessKey,
        name: label,
        group: null,
        state,
        permissions: [],
      }));
    return [...apps.slice(0, EACH), ...keys.slice(0, EACH)];
  }
}

/** Of the actions on objects of this kind, those allowed in each group it belongs to. */
const allowed = (rights: Rights, kind: string, groups: readonly string[]): SearchAction[] =>
  ACTIONS.filter((action) => action.startsWith(kind) && groups.every((group) => may(rights, action, group)));
