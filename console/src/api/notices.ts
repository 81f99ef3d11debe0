import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Notices } from '../../../src/admin/contract/system.js';
import { api } from './client';

export const noticesQuestion = queryOptions({
  queryKey: ['notices'],
  queryFn: ({ signal }) => api.get<Notices>('notices', undefined, signal),
  retry: false,
});

/**
 * By how many milliseconds the server's clock is ahead of this machine's, of the last answer that says what time it is there; a few
 * seconds at most are lost on the way. Undefined before there is one. Asks nothing itself: the shell does.
 */
export function useServerAhead(): number | undefined {
  const { data, dataUpdatedAt } = useQuery({ ...noticesQuestion, enabled: false });
  return data && Date.parse(data.at) - dataUpdatedAt;
}
