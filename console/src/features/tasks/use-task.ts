import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { api, segment } from '../../api/client';
import { live } from '../../api/live';
import { useLookAgain } from '../../api/look-again';
import { untilNextLook } from './next-late';

/** One task as it is now: its own changes are followed while it is shown. */
export function useTask(id: string) {
  const again = useLookAgain();
  const query = useQuery({
    queryKey: [`task:${id}`, 'detail'],
    queryFn: ({ signal }) => api.get<TaskDetail>(`tasks/${segment(id)}`, undefined, signal),
    refetchInterval: ({ state }) => again !== false && untilNextLook(state.data && [state.data], Date.now(), again),
  });
  // Only of a task that is there: the stream refuses any other.
  const known = query.data?.id;
  useEffect(() => {
    live.follow(known);
    return () => live.follow(undefined);
  }, [known]);
  return query;
}
