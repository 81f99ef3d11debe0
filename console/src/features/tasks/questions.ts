import { queryOptions } from '@tanstack/react-query';
import type { ConsoleTaskList, TaskCounts } from '../../../../src/admin/contract/tasks.js';
import { api, type Query } from '../../api/client';
import type { RawSearch } from '../../lib/search';
import { asksNothing, isParam, taskQuery, taskSearch } from './search';

export const listQuestion = (query: Query) =>
  queryOptions({
    queryKey: ['tasks', 'list', query],
    queryFn: ({ signal }) => api.get<ConsoleTaskList>('tasks', query, signal),
    // No index has params: every answer reads those of the tasks it looks through.
    meta: { dear: Object.keys(query).some(isParam) },
  });

/** What the list is narrowed to, in whatever order and whichever page of it is shown. */
export const filtersOf = ({ cursor: _, limit: __, sort: ___, ...filters }: Query): Query => filters;

export function countsQuestion(query: Query) {
  const filters = filtersOf(query);
  return queryOptions({
    queryKey: ['tasks', 'counts', filters],
    queryFn: ({ signal }) => api.get<TaskCounts>('tasks/counts', filters, signal),
    meta: { dear: true },
  });
}

/** What the page of that URL asks as it opens. */
export function taskQuestions(raw: RawSearch) {
  if (asksNothing(raw)) return [];
  const query = taskQuery(taskSearch(raw));
  return [listQuestion(query), countsQuestion(query)];
}
