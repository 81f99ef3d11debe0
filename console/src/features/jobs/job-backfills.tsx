import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConsoleBackfill, ConsoleBackfills, JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ActionButton } from '../../components/action-button';
import { Bar } from '../../components/bar';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { useCodeText, useT } from '../../lib/i18n';
import { BackfillButton } from './backfill-button';

/** Kinds of schedules that have fires in the past. */
const TIMED = new Set(['cron', 'every', 'once']);

/** Spans of the past that were made up for, how far each is, and asking for another. Nothing for a job without such fires. */
export function JobBackfills({ job }: { job: JobDetail }) {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const path = `jobs/${segment(job.id)}/backfills`;
  const again = useLookAgain();
  const timed = TIMED.has(job.schedule.kind);
  const query = useQuery({
    queryKey: ['jobs', 'backfills', job.id],
    queryFn: ({ signal }) => api.get<ConsoleBackfills>(path, undefined, signal),
    enabled: timed,
    // The making of tasks changes no job, so the stream does not tell of it.
    refetchInterval: ({ state }) => (state.data?.items.some((each) => each.state === 'running') ? again : false),
  });
  if (!timed) return null;
  const changed = () => void client.invalidateQueries({ queryKey: ['jobs', 'backfills'] });
  const columns: Column<ConsoleBackfill>[] = [
    {
      key: 'state',
      title: t('task.state'),
      cell: ({ state }) => <span className="one-line">{code('backfillState', state)}</span>,
    },
    { key: 'from', title: t('backfill.from'), cell: ({ from }) => <Instant at={from} jobZone={job.timeZone} /> },
    { key: 'until', title: t('backfill.until'), cell: ({ until }) => <Instant at={until} jobZone={job.timeZone} /> },
    {
      key: 'made',
      title: t('backfill.made'),
      width: 200,
      cell: ({ made, fires }) => <Bar value={made} max={Math.max(1, fires)} tone="plain" label={`${made}/${fires}`} />,
    },
    { key: 'parallel', title: t('backfill.maxParallel'), numeric: true, cell: ({ maxParallel }) => maxParallel },
    { key: 'by', title: t('audit.actor'), cell: ({ requestedBy }) => <bdi className="mono">{requestedBy}</bdi> },
    { key: 'created', title: t('task.at'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    {
      key: 'actions',
      title: t('users.actions'),
      cell: (backfill) =>
        backfill.state === 'running' && (
          <ActionButton
            label={t('backfill.cancel')}
            permission="jobs.run"
            group={job.group}
            object={backfill.id}
            danger
            confirm="dialog"
            preview={<span>{t('backfill.cancelPreview')}</span>}
            run={(reason) => api.delete(`${path}/${segment(backfill.id)}`, { reason })}
            done={t('backfill.cancelled')}
            onDone={changed}
          />
        ),
    },
  ];
  return (
    <section className="stack" aria-label={t('backfill.title')}>
      <div className="spread">
        <h2>{t('backfill.title')}</h2>
        <span className="row">
          <Link to="/tasks" search={{ job: job.id, trigger: 'backfill', since: 'all' } as never}>
            {t('backfill.tasks')}
          </Link>
          <BackfillButton job={job} onDone={changed} />
        </span>
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <DataTable<ConsoleBackfill>
        label={t('backfill.title')}
        columns={columns}
        rows={query.error && !query.data ? null : query.data?.items}
        rowId={({ id }) => id}
        empty={<Empty text={t('backfill.none')} />}
      />
    </section>
  );
}
