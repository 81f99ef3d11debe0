import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { OverviewCharts, Percentiles } from '../../../src/admin/contract/overview.js';
import { useT } from '../lib/i18n';
import { durationText } from '../lib/times';
import { Chart } from './chart';

type Bucket = OverviewCharts['buckets'][number];

/** What ended, how late it began, how long it took and what waited. `limits`: of one group, whose use is then drawn against its quota. */
export function TaskPlots({ charts, limits }: { charts: OverviewCharts; limits?: { group: string; maxRunning: number } }) {
  const t = useT();
  const navigate = useNavigate();
  const { at, rows } = useMemo(() => filled(charts), [charts]);
  const incompleteFrom = Date.parse(charts.incompleteFrom);
  const count = (name: 'succeeded' | 'failed' | 'timedOut' | 'cancelled' | 'skipped') => rows.map((row) => row?.[name] ?? 0);
  const percentile = (of: 'startDelay' | 'runTime', which: keyof Percentiles) => rows.map((row) => row?.[of]?.[which] ?? null);
  const brush = (from: number, to: number) =>
    void navigate({
      to: '/tasks',
      search: { group: limits?.group, from: new Date(from).toISOString(), to: new Date(to).toISOString() } as never,
    });
  const times = (of: 'startDelay' | 'runTime') => [
    { label: 'p50', color: 'var(--state-succeeded)', values: percentile(of, 'p50') },
    { label: 'p95', color: 'var(--state-late)', values: percentile(of, 'p95') },
    { label: 'p99', color: 'var(--state-failed)', values: percentile(of, 'p99') },
  ];
  return (
    <div className="chart-grid">
      {limits && (
        <Chart
          title={t('overview.use')}
          at={at}
          incompleteFrom={incompleteFrom}
          onBrush={brush}
          series={[
            { label: t('overview.running'), color: 'var(--state-running)', values: rows.map((row) => row?.running ?? 0) },
            { label: t('overview.quota'), color: 'var(--state-failed)', values: at.map(() => limits.maxRunning) },
          ]}
        />
      )}
      <Chart
        title={t('overview.throughput')}
        at={at}
        stacked
        incompleteFrom={incompleteFrom}
        onBrush={brush}
        series={[
          { label: t('state.SUCCEEDED'), color: 'var(--state-succeeded)', values: count('succeeded') },
          { label: t('state.FAILED'), color: 'var(--state-failed)', values: count('failed') },
          { label: t('state.TIMED_OUT'), color: 'var(--state-late)', values: count('timedOut') },
          { label: t('state.CANCELLED'), color: 'var(--state-cancelled)', values: count('cancelled') },
          { label: t('state.SKIPPED'), color: 'var(--state-skipped)', values: count('skipped') },
        ]}
      />
      <Chart
        title={t('overview.startDelay')}
        at={at}
        format={(ms) => durationText(ms, t)}
        incompleteFrom={incompleteFrom}
        series={times('startDelay')}
      />
      <Chart
        title={t('overview.runTime')}
        at={at}
        format={(ms) => durationText(ms, t)}
        incompleteFrom={incompleteFrom}
        series={times('runTime')}
      />
      <Chart
        title={t('overview.backlog')}
        at={at}
        incompleteFrom={incompleteFrom}
        series={[
          { label: t('overview.waiting'), color: 'var(--state-waiting)', values: rows.map((row) => row?.backlog ?? null) },
        ]}
      />
      <Chart
        title={t('overview.oldestWaiting')}
        at={at}
        format={(ms) => durationText(ms, t)}
        incompleteFrom={incompleteFrom}
        series={[{ label: t('overview.age'), color: 'var(--state-late)', values: rows.map((row) => row?.oldestAgeMs ?? null) }]}
      />
    </div>
  );
}

/** Every bucket of the range: one without tasks has no row, which counts draw as zero and percentiles as a gap. */
function filled({ from, to, bucketMs, buckets }: OverviewCharts): { at: number[]; rows: (Bucket | undefined)[] } {
  const byTime = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const at: number[] = [];
  const end = Date.parse(to);
  for (let time = Math.floor(Date.parse(from) / bucketMs) * bucketMs; time < end; time += bucketMs) at.push(time);
  return { at, rows: at.map((time) => byTime.get(time)) };
}
