import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';
import { useWorkerRight } from './worker-deed';

/** Takes a worker off the list that is lost or has left. */
export function RemoveButton({ worker }: { worker: WorkerSummary }) {
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const right = useWorkerRight()(worker);
  return (
    <ActionButton
      label={t('workers.remove')}
      {...right}
      blocked={right.blocked ?? (worker.state === 'offline' ? null : t('workers.removeOnlyLost'))}
      danger
      confirm="dialog"
      preview={t('workers.removePreview')}
      run={(reason) => api.delete(`workers/${segment(worker.id)}`, { reason })}
      done={t('workers.removed')}
      onDone={() => {
        void client.invalidateQueries({ queryKey: ['workers'] });
        void navigate({ to: '/workers' });
      }}
    />
  );
}
