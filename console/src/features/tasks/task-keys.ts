import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { mayDo, useSession } from '../../api/session';
import type { Action } from '../../components/action';
import type { RowKeys } from '../../components/row-keys';
import type { TaskSearch } from './search';
import { useTaskDeeds } from './task-deeds';

/** The keys of the task list. What a key asks to do is asked about first, as on its button, and only where it can be done. */
export function useTaskKeys(search: TaskSearch): { keys: RowKeys<TaskSummary>; asked: Action | null; close: () => void } {
  const navigate = useNavigate();
  const deeds = useTaskDeeds();
  const session = useSession();
  const [asked, setAsked] = useState<Action | null>(null);
  const keys = useMemo((): RowKeys<TaskSummary> => {
    const open = (task: TaskSummary, tab?: string) =>
      void navigate({ to: '/tasks/$taskId', params: { taskId: task.id }, search: { tab } as never });
    const ask = (action: Action) => {
      if (!action.blocked && mayDo(session, action.permission, action.group)) setAsked(action);
    };
    return {
      open,
      peeked: search.peek,
      peek: (task) =>
        void navigate({ to: '/tasks', search: { ...search, peek: task?.id } as never, replace: search.peek !== undefined }),
      logs: (task) => open(task, 'logs'),
      retry: (task) => ask(deeds(task).retry),
      cancel: (task) => ask(deeds(task).cancel),
    };
  }, [navigate, deeds, session, search]);
  return { keys, asked, close: () => setAsked(null) };
}
