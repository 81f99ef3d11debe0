import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LoadTerms, WorkerLoad } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Bar } from '../../components/bar';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { useT } from '../../lib/i18n';

/** Fuller than this, a group has little room for what comes in bursts. */
const HIGH = 0.8;

/** The score with its numbers: whoever has the smallest gets the next task. */
export function LoadExplained({ workerId, group }: { workerId: string; group: string }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['workers', 'load', workerId, group],
    queryFn: ({ signal }) => api.get<WorkerLoad>(`workers/${segment(workerId)}/load`, { group }, signal),
    // Its beats are not changes the stream tells of.
    refetchInterval: useLookAgain(),
    placeholderData: (before) => before,
  });
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const load = query.data;
  if (!load) return null;
  const most = Math.max(1, ...load.candidates.map(({ terms }) => terms.load));
  const columns: Column<WorkerLoad['candidates'][number]>[] = [
    {
      key: 'worker',
      title: t('workers.worker'),
      cell: ({ id }) => (
        <Link to="/workers/$workerId" params={{ workerId: id }}>
          <bdi>{id}</bdi>
        </Link>
      ),
    },
    {
      key: 'load',
      title: t('workers.load'),
      width: 200,
      cell: ({ terms }) => <Bar value={terms.load} max={most} tone="plain" label={terms.load.toFixed(1)} />,
    },
    { key: 'sum', title: t('workers.terms'), cell: ({ terms }) => <code>{sumText(terms)}</code> },
    { key: 'slots', title: t('workers.slots'), numeric: true, cell: ({ terms }) => terms.slots },
  ];
  const { imbalance, verdict, ifDrained } = load;
  return (
    <section className="panel stack" aria-label={`${t('workers.loadOf')} ${group}`}>
      <div className="spread">
        <h2>
          {t('workers.loadOf')} <bdi>{group}</bdi>
        </h2>
        <strong>
          {t(`workers.verdict.${verdict.code}`, { percent: Math.abs(Math.round((verdict.percentOfMean ?? 100) - 100)) })}
        </strong>
      </div>
      <code>{load.formula}</code>
      <span className="secondary">
        {t('workers.imbalance', {
          mean: imbalance.meanLoad.toFixed(1),
          spread: imbalance.maxMinusMin.toFixed(1),
          variation: imbalance.variation.toFixed(2),
        })}
      </span>
      {ifDrained && (
        <span className={ifDrained.fullnessThen === null || ifDrained.fullnessThen > HIGH ? 'state-late' : 'secondary'}>
          {ifDrained.fullnessThen === null
            ? t('workers.ifDrainedAlone')
            : t(ifDrained.fullnessThen > HIGH ? 'workers.ifDrainedHigh' : 'workers.ifDrained', {
                now: ifDrained.fullness.toFixed(2),
                after: ifDrained.fullnessThen.toFixed(2),
                busy: ifDrained.busy,
                slots: ifDrained.slotsLeft,
              })}
        </span>
      )}
      <DataTable
        label={t('workers.loadOf')}
        columns={columns}
        rows={load.candidates}
        rowId={({ id }) => id}
        empty={t('workers.noCandidates')}
      />
    </section>
  );
}

const sumText = ({ active, queued, attemptPoints, cost, cpu, load }: LoadTerms): string =>
  `${active + queued} × ${attemptPoints.toFixed(1)} + ${cost.toFixed(1)} + ${cpu.toFixed(1)} = ${load.toFixed(1)}`;
