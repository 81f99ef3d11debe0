import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { WorkerList, WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';
import { DrainDeadline } from './drain-deadline';
import { useWorkerDeed } from './worker-deed';

/** Taking a worker out of service, or back into it. Emptying the last one of a group asks for its name. */
export function useDrainDeed(): (worker: WorkerSummary) => Action {
  const t = useT();
  const deedTo = useWorkerDeed();
  const others = useQuery({
    queryKey: ['workers', 'list', {}],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', undefined, signal),
  });
  // Whoever shows the deed may hold it for as long as its dialog is open, so it reads what was chosen when it is done.
  const minutes = useRef(0);
  const choose = useCallback((chosen: number) => {
    minutes.current = chosen;
  }, []);
  return (worker) => {
    if (worker.drainAsked)
      return {
        ...deedTo(worker, 'undrain'),
        label: t('workers.undrain'),
        confirm: 'none',
        done: t('workers.undrained'),
      };
    const alone = worker.groups.filter(
      (group) =>
        !others.data?.items.some(({ id, state, groups }) => id !== worker.id && state === 'online' && groups.includes(group)),
    );
    return {
      ...deedTo(worker, 'drain'),
      label: t('workers.drain'),
      danger: true,
      confirm: alone.length > 0 ? 'name' : 'dialog',
      reasonRequired: true,
      preview: (
        <>
          <span>{t('workers.drainPreview', { n: worker.active + worker.queued })}</span>
          <DrainDeadline onChange={choose} />
          {alone.length > 0 && (
            <strong className="state-failed">{t('workers.drainLast', { groups: alone.join(t('punctuation.comma')) })}</strong>
          )}
        </>
      ),
      run: (reason) => {
        const deadlineAt = minutes.current > 0 ? new Date(Date.now() + minutes.current * 60_000).toISOString() : undefined;
        return api.post(`workers/${segment(worker.id)}/drain`, { reason, deadlineAt });
      },
      done: t('workers.drainAsked'),
    };
  };
}
