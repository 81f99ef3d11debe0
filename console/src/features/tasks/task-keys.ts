import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { segment } from '../../api/client';
import { useListKeys } from '../../components/list-keys';
import { useT } from '../../lib/i18n';
import { useTaskDeeds } from './task-deeds';

const pageOf = ({ id }: TaskSummary) => `/tasks/${segment(id)}`;

/** The keys of the task list. */
export function useTaskKeys() {
  const t = useT();
  const deeds = useTaskDeeds();
  return useListKeys<TaskSummary>({
    rowId: ({ id }) => id,
    pageOf,
    traceOf: (task) => ({ to: pageOf(task), search: { tab: 'logs' } }),
    traceLabel: t('task.logs'),
    again: (task) => deeds(task).retry,
    stop: (task) => deeds(task).cancel,
  });
}
