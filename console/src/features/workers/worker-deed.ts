import { useQueryClient } from '@tanstack/react-query';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { mayDo, useSession } from '../../api/session';
import type { Action } from '../../components/action';
import { useT } from '../../lib/i18n';

const PERMISSION = 'workers.drain';

/** Where the right to it is looked up, and what else keeps one from it: it concerns all groups of the worker, also those one may not see. */
export function useWorkerRight(): (worker: WorkerSummary) => Pick<Action, 'permission' | 'group' | 'object' | 'blocked'> {
  const t = useT();
  const session = useSession();
  return ({ id, groups, hiddenGroups }) => ({
    permission: PERMISSION,
    group: groups.find((group) => !mayDo(session, PERMISSION, group)) ?? groups[0] ?? null,
    object: id,
    blocked: hiddenGroups > 0 && !session?.permissions.includes(PERMISSION) ? t('workers.servesHidden') : null,
  });
}

/** What everything done to a worker shares; `verb` ends its path. */
export function useWorkerDeed() {
  const client = useQueryClient();
  const rightTo = useWorkerRight();
  return (worker: WorkerSummary, verb: string) =>
    ({
      ...rightTo(worker),
      run: (reason) => api.post(`workers/${segment(worker.id)}/${verb}`, { reason }),
      onDone: () => void client.invalidateQueries({ queryKey: ['workers'] }),
    }) satisfies Partial<Action>;
}
