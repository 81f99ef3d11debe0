import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { SiteView } from '../../../src/admin/contract/system.js';
import { api } from './client';

export const SITE_KEY = ['site'] as const;
/** What everybody is told, signed in or not: how this installation is called, and how often its pages may update what they show. */
export const siteQuestion = queryOptions({
  queryKey: SITE_KEY,
  queryFn: ({ signal }) => api.get<SiteView>('site', undefined, signal),
  staleTime: 60_000,
});

export const useSite = (): SiteView | undefined => useQuery(siteQuestion).data;

/** Milliseconds between two updates, at least; the lowest there is while it is not known. */
export const liveFloorMs = (client: QueryClient): number =>
  (client.getQueryData<SiteView>(SITE_KEY)?.liveFloorSeconds ?? 1) * 1_000;
