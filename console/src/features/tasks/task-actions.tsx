import { useQueryClient } from '@tanstack/react-query';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

const ENDED = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED']);

export function TaskActions({ task }: { task: TaskDetail }) {
  const t = useT();
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: [`task:${task.id}`] });
  const path = `tasks/${segment(task.id)}`;
  return (
    <ActionButton
      label={task.cancelRequested ? t('task.cancelRequested') : t('task.cancel')}
      permission="tasks.cancel"
      group={task.group}
      object={task.id}
      danger
      confirm="dialog"
      preview={<span>{t('task.cancelPreview')}</span>}
      blocked={ENDED.has(task.state) ? t('task.cancelBlocked') : task.cancelRequested ? t('task.cancelRequested') : null}
      run={(reason) => api.post(`${path}/cancel`, { reason })}
      done={t('task.cancelDone')}
      onDone={refresh}
    />
  );
}
