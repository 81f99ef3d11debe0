import { queryOptions } from '@tanstack/react-query';
import type { Overview, OverviewCharts } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { one, oneOf, type RawSearch } from '../../lib/search';

export const RANGES = ['1h', '6h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];

/** What of the overview its URL says. */
export const overviewSearch = (raw: RawSearch): { range: Range; group: string | undefined } => ({
  range: oneOf(raw, 'range', RANGES) ?? '1h',
  group: one(raw, 'group'),
});

export const nowQuestion = (group: string | undefined) =>
  queryOptions({
    queryKey: ['overview', 'now', group],
    queryFn: ({ signal }) => api.get<Overview>('overview', { group }, signal),
    meta: { dear: true },
  });

export const chartsQuestion = (range: Range, group: string | undefined) =>
  queryOptions({
    queryKey: ['overview', 'charts', range, group],
    queryFn: ({ signal }) => api.get<OverviewCharts>('overview/charts', { range, group }, signal),
    meta: { dear: true },
  });

/** What the page of that URL asks as it opens. */
export function overviewQuestions(raw: RawSearch) {
  const { range, group } = overviewSearch(raw);
  return [nowQuestion(group), chartsQuestion(range, group)];
}
