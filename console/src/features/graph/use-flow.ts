import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConsoleTaskList, TaskDetail, TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { ApiError, api, segment } from '../../api/client';
import { flowByJob } from './graph-model';

/** The most that is asked for at once. */
const MOST_TASKS = 200;

/** The tasks of one flow by their jobs; undefined while none is asked for, or not there yet. */
export function useFlow(flow: string | undefined) {
  const query = useQuery({
    queryKey: ['tasks', 'of-flow', flow],
    queryFn: ({ signal }) => tasksOf(flow as string, signal),
    enabled: flow !== undefined,
  });
  const tasks = flow === undefined ? undefined : query.data;
  const byJob = useMemo(() => tasks && flowByJob(tasks), [tasks]);
  return { query, byJob };
}

/** A flow bears the id of the task it begins with, and is known as one only when that task has ended. */
async function tasksOf(flow: string, signal: AbortSignal): Promise<TaskSummary[]> {
  const [root, { items }] = await Promise.all([
    api.get<TaskDetail>(`tasks/${segment(flow)}`, undefined, signal).catch(nullIfGone),
    api.get<ConsoleTaskList>('tasks', { flowId: flow, limit: MOST_TASKS }, signal),
  ]);
  return root === null || items.some(({ id }) => id === root.id) ? items : [...items, root];
}

function nullIfGone(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}
