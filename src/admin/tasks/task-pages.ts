import { TASK_STATES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../../decisions/state-codes.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { isId } from '../../platform/ids.js';
import { SqlDialect } from '../../ports.js';
import { type Lane, notOfThisOrder, pageOfLanes } from '../lanes.js';
import { words } from '../request-parts.js';
import { type ParamBudget, paramBudget } from './task-params.store.js';
import type { TaskSearch } from './task-search.js';
import { type ListedTaskRow, TaskSearchStore } from './task-search.store.js';
import type { IdOrder } from './task-stretches.js';

/**
 * Orders of the list, each served by an index that is there for something else: by id, which is by the time it was made; by state in
 * the order tasks go through them; by the key of the group; newest first within each. An index for any other column would be
 * one more write of every submit.
 */
export const TASK_ORDERS = ['id', '-id', 'state', '-state', 'group', '-group'] as const;
export type TaskOrder = (typeof TASK_ORDERS)[number];
export const TASK_SORT = { sort: words(TASK_ORDERS) };

export interface TaskPage {
  rows: ListedTaskRow[];
  nextCursor: string | null;
  /** Everything up to this id was looked through, and the page is not full; null otherwise. */
  searchedTo: string | null;
}

/** Pages of tasks in the orders a person may ask for. */
@Injectable()
export class TaskPages {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskSearchStore,
    private readonly groups: GroupsService,
  ) {}

  async page(search: TaskSearch, order: TaskOrder, cursor: string | undefined, limit: number): Promise<TaskPage> {
    const budget = paramBudget();
    if (order !== 'id' && order !== '-id') return pageOfLanes(this.lanesOf(search, order, budget), cursor, limit);
    const { rows, next } = await this.read(search, cursor, limit, order === 'id' ? 'oldest' : 'newest', budget);
    return { rows, nextCursor: next, searchedTo: rows.length < limit ? next : null };
  }

  private lanesOf(search: TaskSearch, order: Exclude<TaskOrder, 'id' | '-id'>, budget: ParamBudget): Lane<ListedTaskRow>[] {
    const narrower = order.endsWith('state') ? this.byState(search) : this.byGroup(search);
    const lanes = narrower.map(([name, narrow]) => ({
      name,
      read: (past: string | undefined, limit: number) => this.read({ ...search, ...narrow }, past, limit, 'newest', budget),
    }));
    return order.startsWith('-') ? lanes.reverse() : lanes;
  }

  private byState({ states }: TaskSearch): [string, Partial<TaskSearch>][] {
    const asked = TASK_STATES.filter((state) => states?.includes(STATE_CODE[state]) ?? true);
    return asked.map((state) => [state, { states: [STATE_CODE[state]] }]);
  }

  private byGroup({ groupIds }: TaskSearch): [string, Partial<TaskSearch>][] {
    const asked = this.groups.all().filter(({ id }) => groupIds?.includes(id) ?? true);
    const named = asked.sort((a, b) => (a.key < b.key ? -1 : 1));
    return named.map(({ id, key }) => [key, { groupIds: [id], byGroup: true }]);
  }

  private async read(search: TaskSearch, past: string | undefined, limit: number, way: IdOrder, budget: ParamBudget) {
    if (past !== undefined && !isId('task', past)) throw notOfThisOrder();
    const { rows, searchedTo } = await this.store.find(this.dialect.root, search, past, limit + 1, way, budget);
    const full = rows.length > limit;
    return { rows: rows.slice(0, limit), next: full ? (rows[limit - 1]?.id ?? null) : searchedTo };
  }
}
