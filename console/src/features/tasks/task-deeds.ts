import { useQueryClient } from '@tanstack/react-query';
import { createElement, useCallback } from 'react';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';

type Task = Pick<TaskSummary, 'id' | 'group' | 'state' | 'cancelRequested'>;

const ENDED = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED']);
const RETRYABLE = new Set(['FAILED', 'TIMED_OUT', 'CANCELLED']);
export const hasEnded = ({ state }: Pick<Task, 'state'>): boolean => ENDED.has(state);

/** What may be done to a task, wherever it is shown. */
export function useTaskDeeds(): (task: Task) => { retry: Action; cancel: Action; force: Action } {
  const t = useT();
  const client = useQueryClient();
  return useCallback(
    (task) => {
      const path = `tasks/${segment(task.id)}`;
      const onDone = () => {
        void client.invalidateQueries({ queryKey: [`task:${task.id}`] });
        void client.invalidateQueries({ queryKey: ['tasks'] });
      };
      const common = { group: task.group, object: task.id, confirm: 'dialog' as const, onDone };
      return {
        retry: {
          ...common,
          label: t('task.retry'),
          permission: 'tasks.retry',
          preview: createElement('span', null, t('task.retryPreview')),
          blocked: RETRYABLE.has(task.state) ? null : t('task.retryBlocked'),
          run: (reason) => api.post(`${path}/retry`, { reason }),
          done: t('task.retryDone'),
        },
        cancel: {
          ...common,
          label: task.cancelRequested ? t('task.cancelRequested') : t('task.cancel'),
          permission: 'tasks.cancel',
          danger: true,
          preview: createElement('span', null, t('task.cancelPreview')),
          blocked: hasEnded(task) ? t('task.cancelBlocked') : task.cancelRequested ? t('task.cancelRequested') : null,
          run: (reason) => api.post(`${path}/cancel`, { reason }),
          done: t('task.cancelDone'),
        },
        force: {
          ...common,
          label: t('task.force'),
          permission: 'tasks.cancel',
          danger: true,
          reasonRequired: true,
          preview: createElement('span', null, t('task.forcePreview')),
          run: (reason) => api.post(`${path}/cancel`, { reason, force: true }),
          done: t('task.forceDone'),
        },
      };
    },
    [t, client],
  );
}
