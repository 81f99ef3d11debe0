import { useQuery } from '@tanstack/react-query';
import type { LoadTerms, WorkerLoad } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { Imbalance, useLoadColumns } from '../../components/load-columns';
import { useT } from '../../lib/i18n';
import { shareText } from '../../lib/times';

/** Fuller than this, a group has little room for what comes in bursts. */
const HIGH = 0.8;

/** The score with its numbers: whoever has the smallest gets the next task. `formula`: with how it is reckoned, which is the same everywhere. */
export function LoadExplained({ workerId, group, formula }: { workerId: string; group: string; formula: boolean }) {
  const t = useT();
  const loadColumns = useLoadColumns();
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
  const columns: Column<WorkerLoad['candidates'][number]>[] = [
    ...loadColumns(load.candidates, ({ terms }) => terms.load),
    { key: 'sum', title: t('workers.terms'), cell: ({ terms }) => <code>{sumText(terms)}</code> },
    { key: 'slots', title: t('workers.slots'), numeric: true, cell: ({ terms }) => terms.slots },
    { key: 'room', title: t('workers.room'), numeric: true, cell: ({ terms }) => terms.available },
    {
      key: 'warmth',
      title: t('workers.warmth'),
      numeric: true,
      cell: ({ terms: { warmth } }) =>
        warmth >= 1 ? (
          <span className="secondary">{t('workers.warm')}</span>
        ) : (
          <span className="state-late" title={t('workers.warmsUp')}>
            {shareText(warmth)}
          </span>
        ),
    },
  ];
  const { imbalance, verdict, ifDrained } = load;
  const meanSlots = load.candidates[0]?.terms.meanSlots;
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
      {formula && <code>{load.formula}</code>}
      <Imbalance of={imbalance} />
      {meanSlots !== undefined && <span className="secondary">{t('workers.meanSlots', { n: meanSlots.toFixed(1) })}</span>}
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
  `${active + queued} × ${attemptPoints} + ${cost.toFixed(1)} + ${cpu.toFixed(1)} = ${load.toFixed(1)}`;
