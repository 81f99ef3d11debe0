import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';
import { useWorkerDeed } from './worker-deed';

/** Keeping new orders from a worker, and lifting that: unlike a drain it is not told, and nothing it has is given back. */
export function useCordonDeed(): (worker: WorkerSummary) => Action {
  const t = useT();
  const deedTo = useWorkerDeed();
  return (worker) => {
    if (worker.cordoned)
      return {
        ...deedTo(worker, 'uncordon'),
        label: t('workers.uncordon'),
        confirm: 'none',
        done: t('workers.uncordoned'),
      };
    return {
      ...deedTo(worker, 'cordon'),
      label: t('workers.cordon'),
      confirm: 'dialog',
      reasonRequired: true,
      preview: <span>{t('workers.cordonPreview')}</span>,
      done: t('workers.cordonAsked'),
    };
  };
}
