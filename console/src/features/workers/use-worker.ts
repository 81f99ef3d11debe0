import { useQuery } from '@tanstack/react-query';
import type { WorkerDetail } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';

export const useWorker = (id: string) =>
  useQuery({
    queryKey: ['workers', 'detail', id],
    queryFn: ({ signal }) => api.get<WorkerDetail>(`workers/${segment(id)}`, undefined, signal),
    // Its beats are not changes the stream tells of.
    refetchInterval: useLookAgain(),
  });
