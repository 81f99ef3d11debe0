import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Segmented } from 'antd';
import type { GroupView } from '../../../../src/admin/contract/groups.js';
import type { OverviewCharts } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Loaded } from '../../components/loaded';
import { TaskPlots } from '../../components/task-plots';
import { useT } from '../../lib/i18n';
import { oneOf } from '../../lib/search';

const RANGES = ['1h', '6h', '24h', '7d'] as const;

/** How the group was used over time, against its quota, and what became of its tasks. */
export function GroupCharts({ group: { key, maxRunning } }: { group: GroupView }) {
  const t = useT();
  const navigate = useNavigate();
  const range = oneOf(useSearch({ strict: false }), 'range', RANGES) ?? '24h';
  const query = useQuery({
    queryKey: ['overview', 'charts', range, key],
    queryFn: ({ signal }) => api.get<OverviewCharts>('overview/charts', { range, group: key }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useLookAgain(60_000),
    meta: { dear: true },
  });
  return (
    <>
      <Segmented
        aria-label={t('overview.range')}
        style={{ alignSelf: 'start' }}
        options={RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
        value={range}
        onChange={(value) =>
          void navigate({ to: '.', search: { range: value === '24h' ? undefined : value } as never, replace: true })
        }
      />
      <Loaded query={query}>{(charts) => <TaskPlots charts={charts} limits={{ group: key, maxRunning }} />}</Loaded>
    </>
  );
}
