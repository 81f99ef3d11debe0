import { type QueryClient } from '@tanstack/react-query';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import type { Action } from '../../components/action';

/** What everything done to a worker shares; `verb` ends its path. */
export const workerDeed = (client: QueryClient, worker: WorkerSummary, verb: string) =>
  ({
    permission: 'workers.drain',
    group: worker.groups[0] ?? null,
    object: worker.id,
    run: (reason) => api.post(`workers/${segment(worker.id)}/${verb}`, { reason }),
    onDone: () => void client.invalidateQueries({ queryKey: ['workers'] }),
  }) satisfies Partial<Action>;
