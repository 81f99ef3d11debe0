import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkerList, WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';

/** Taking a worker out of service, or back into it. Emptying the last one of a group asks for its name. */
export function useDrainDeed(): (worker: WorkerSummary) => Action {
  const t = useT();
  const client = useQueryClient();
  const others = useQuery({
    queryKey: ['workers', 'list', {}],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', undefined, signal),
  });
  return (worker) => {
    const path = `workers/${segment(worker.id)}`;
    const common = {
      permission: 'workers.drain',
      group: worker.groups[0] ?? null,
      object: worker.id,
      onDone: () => void client.invalidateQueries({ queryKey: ['workers'] }),
    } as const;
    if (worker.drainAsked)
      return {
        ...common,
        label: t('workers.undrain'),
        confirm: 'none',
        run: (reason) => api.post(`${path}/undrain`, { reason }),
        done: t('workers.undrained'),
      };
    const alone = worker.groups.filter(
      (group) =>
        !others.data?.items.some(({ id, state, groups }) => id !== worker.id && state === 'online' && groups.includes(group)),
    );
    return {
      ...common,
      label: t('workers.drain'),
      danger: true,
      confirm: alone.length > 0 ? 'name' : 'dialog',
      reasonRequired: true,
      preview: (
        <>
          <span>{t('workers.drainPreview', { n: worker.active + worker.queued })}</span>
          {alone.length > 0 && <strong className="state-failed">{t('workers.drainLast', { groups: alone.join(', ') })}</strong>}
        </>
      ),
      run: (reason) => api.post(`${path}/drain`, { reason }),
      done: t('workers.drainAsked'),
    };
  };
}
