import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { WorkerWork, WorkerWorkList } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { useMay } from '../../api/session';
import { Bar } from '../../components/bar';
import { type Column, DataTable } from '../../components/data-table';
import { Loaded } from '../../components/loaded';
import { useT } from '../../lib/i18n';

/** What a worker has now, by job: what makes its load. */
export function WorkerWorkPanel({ workerId, groups }: { workerId: string; groups: readonly string[] }) {
  const t = useT();
  const may = useMay('tasks.view', groups[0] ?? null);
  const query = useQuery({
    queryKey: ['workers', 'work', workerId],
    queryFn: ({ signal }) => api.get<WorkerWorkList>(`workers/${segment(workerId)}/work`, undefined, signal),
    refetchInterval: useLookAgain(),
    placeholderData: (before) => before,
    enabled: may,
  });
  if (!may) return null;
  return (
    <section className="panel stack" aria-label={t('workers.work')}>
      <h2>{t('workers.work')}</h2>
      <Loaded query={query}>
        {({ items }) => {
          const all = items.reduce((sum, { count }) => sum + count, 0);
          const columns: Column<WorkerWork>[] = [
            {
              key: 'job',
              title: t('jobs.job'),
              cell: ({ job }) =>
                job ? (
                  <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                    <bdi>{job.key}</bdi>
                  </Link>
                ) : (
                  <span className="secondary">{t('workers.noJob')}</span>
                ),
            },
            { key: 'handler', title: t('jobs.handler'), cell: ({ handler }) => <bdi>{handler}</bdi> },
            { key: 'group', title: t('task.group'), cell: ({ group }) => <bdi>{group}</bdi> },
            {
              key: 'count',
              title: t('workers.attempts'),
              width: 240,
              cell: ({ count }) => <Bar value={count} max={all} tone="plain" label={`${count} / ${all}`} />,
            },
          ];
          return (
            <DataTable
              label={t('workers.work')}
              columns={columns}
              rows={items}
              rowId={({ group, job, handler }) => `${group} ${job?.id ?? ''} ${handler}`}
              empty={t('workers.noWork')}
            />
          );
        }}
      </Loaded>
    </section>
  );
}
