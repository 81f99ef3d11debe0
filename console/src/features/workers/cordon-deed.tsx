import { useQueryClient } from '@tanstack/react-query';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';

/** Keeping new orders from a worker, and lifting that: unlike a drain it is not told, and nothing it has is given back. */
export function useCordonDeed(): (worker: WorkerSummary) => Action {
  const t = useT();
  const client = useQueryClient();
  return (worker) => {
    const path = `workers/${segment(worker.id)}`;
    const common = {
      permission: 'workers.drain',
      group: worker.groups[0] ?? null,
      object: worker.id,
      onDone: () => void client.invalidateQueries({ queryKey: ['workers'] }),
    } as const;
    if (worker.cordoned)
      return {
        ...common,
        label: t('workers.uncordon'),
        confirm: 'none',
        run: (reason) => api.post(`${path}/uncordon`, { reason }),
        done: t('workers.uncordoned'),
      };
    return {
      ...common,
      label: t('workers.cordon'),
      confirm: 'dialog',
      reasonRequired: true,
      preview: <span>{t('workers.cordonPreview')}</span>,
      run: (reason) => api.post(`${path}/cordon`, { reason }),
      done: t('workers.cordonAsked'),
    };
  };
}
