import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client';
import { live } from './live';

/**
 * Old data stay on screen while new ones are fetched, and when fetching fails. Only an absent server is asked
 * again by itself, and once the whole page knows that it is away, by `live` alone.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) =>
          live.read().state !== 'stale' &&
          error instanceof ApiError &&
          (error.status === 0 || error.status >= 502) &&
          failures < 3,
        retryDelay: (attempt) => Math.min(10_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2),
      },
      mutations: { retry: false },
    },
  });
}
