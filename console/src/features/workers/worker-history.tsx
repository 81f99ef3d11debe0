import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { WorkerHistory } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Chart } from '../../components/chart';
import { Loaded } from '../../components/loaded';
import { useT } from '../../lib/i18n';

/** A day of a worker's load, and of what it had at once. */
export function WorkerHistoryPlots({ workerId }: { workerId: string }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['workers', 'history', workerId],
    queryFn: ({ signal }) => api.get<WorkerHistory>(`workers/${segment(workerId)}/history`, undefined, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useLookAgain(60_000),
  });
  return (
    <Loaded query={query}>
      {({ from, to, spanMs, spans }) => {
        // A span without samples is a gap: nobody looked, or it was away.
        const known = new Map(spans.map((span) => [Date.parse(span.at), span]));
        const at: number[] = [];
        if (spans.length > 0) for (let time = Date.parse(from); time < Date.parse(to); time += spanMs) at.push(time);
        const of = (value: (span: WorkerHistory['spans'][number]) => number | null) =>
          at.map((time) => {
            const span = known.get(time);
            return span ? value(span) : null;
          });
        return (
          <div className="chart-grid">
            <Chart
              title={t('workers.loadOver')}
              at={at}
              format={(value) => value.toFixed(1)}
              series={[
                { label: t('workers.mean'), color: 'var(--state-running)', values: of(({ load }) => load) },
                { label: t('workers.most'), color: 'var(--state-late)', values: of(({ loadMost }) => loadMost) },
              ]}
            />
            <Chart
              title={t('workers.activeOver')}
              at={at}
              series={[{ label: t('workers.most'), color: 'var(--state-running)', values: of(({ active }) => active) }]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}
