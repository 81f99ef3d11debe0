import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Segmented, Skeleton } from 'antd';
import type { OverviewComparison } from '../../../../src/admin/contract/overview.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { TaskPlots } from '../../components/task-plots';
import { useT } from '../../lib/i18n';
import { Attention } from './attention';
import { Comparison, Regressions } from './comparison';
import { FirstSteps } from './first-steps';
import { GroupBars, WorkerBars } from './load-bars';
import { chartsQuestion, nowQuestion, overviewSearch, RANGES } from './questions';
import { Tiles } from './tiles';

/** Is it healthy, and what needs me? */
export function OverviewPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const { range, group } = overviewSearch(raw);
  // Ages grow and tasks become late although nothing happens that would be told.
  const now = useQuery({
    ...nowQuestion(group),
    placeholderData: keepPreviousData,
    refetchInterval: useLookAgain(10_000),
  });
  const charts = useQuery({
    ...chartsQuestion(range, group),
    placeholderData: keepPreviousData,
    refetchInterval: useLookAgain(60_000),
  });
  const compared = useQuery({
    queryKey: ['comparison', group],
    queryFn: ({ signal }) => api.get<OverviewComparison>('overview/comparison', { group }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useLookAgain(60_000),
  });
  return (
    <Page
      title={t('overview.title')}
      object={group}
      actions={
        <Segmented
          aria-label={t('overview.range')}
          options={RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
          value={range}
          onChange={(value) =>
            void navigate({ to: '/overview', search: { range: value === '1h' ? undefined : value, group } as never })
          }
        />
      }
    >
      {now.error && <ErrorPanel error={now.error} onRetry={() => void now.refetch()} />}
      {now.data ? (
        <>
          <FirstSteps steps={now.data.firstSteps} groups={now.data.groups.map(({ key }) => key)} />
          <Tiles tiles={now.data.tiles} />
          <Attention items={now.data.attention} />
        </>
      ) : (
        !now.error && <Skeleton active paragraph={{ rows: 4 }} />
      )}
      {charts.error && <ErrorPanel error={charts.error} onRetry={() => void charts.refetch()} />}
      {charts.data && <TaskPlots charts={charts.data} />}
      {compared.error && <ErrorPanel error={compared.error} onRetry={() => void compared.refetch()} />}
      {compared.data && (
        <div className="overview-grid">
          <Comparison comparison={compared.data} />
          <Regressions regressions={compared.data.regressions} />
        </div>
      )}
      {now.data && (
        <div className="overview-grid">
          <WorkerBars workers={now.data.workers} />
          <GroupBars groups={now.data.groups} />
        </div>
      )}
    </Page>
  );
}
