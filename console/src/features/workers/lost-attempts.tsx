import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LostAttempts } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { StateTag } from '../../components/state-tag';
import { useT } from '../../lib/i18n';

type Lost = LostAttempts['items'][number];

/** What was taken from the worker when it, or an earlier life of it, was lost; nothing to see where nothing was. */
export function LostAttemptsPanel({ workerId, groups }: { workerId: string; groups: readonly string[] }) {
  const t = useT();
  const may = useMay('tasks.view', groups[0] ?? null);
  const { data } = useQuery({
    queryKey: ['workers', 'lost', workerId],
    queryFn: ({ signal }) => api.get<LostAttempts>(`workers/${segment(workerId)}/lost`, undefined, signal),
    enabled: may,
  });
  if (!data || data.items.length === 0) return null;
  const columns: Column<Lost>[] = [
    {
      key: 'task',
      title: t('task.id'),
      cell: ({ taskId, state }) =>
        state === null ? (
          <ShortId id={taskId} />
        ) : (
          <Link to="/tasks/$taskId" params={{ taskId }}>
            <ShortId id={taskId} />
          </Link>
        ),
    },
    { key: 'handler', title: t('jobs.handler'), cell: ({ handler }) => <bdi>{handler ?? '–'}</bdi> },
    { key: 'at', title: t('workers.lostAt'), cell: ({ lostAt }) => <Instant at={lostAt} /> },
    {
      key: 'state',
      title: t('task.state'),
      cell: ({ state }) =>
        state === null ? <span className="secondary">{t('workers.notKept')}</span> : <StateTag state={state} />,
    },
    {
      key: 'worker',
      title: t('workers.nowOn'),
      cell: ({ worker }) =>
        worker === null ? (
          '–'
        ) : (
          <Link to="/workers/$workerId" params={{ workerId: worker }}>
            <bdi>{worker}</bdi>
          </Link>
        ),
    },
  ];
  return (
    <section className="panel stack" aria-label={t('workers.lost')}>
      <h2>{t('workers.lost')}</h2>
      <DataTable
        label={t('workers.lost')}
        columns={columns}
        rows={data.items}
        rowId={({ taskId, lostAt }) => `${taskId} ${lostAt}`}
        empty=""
      />
    </section>
  );
}
