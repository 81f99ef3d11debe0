import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConsoleTaskList, TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { StateTag } from '../../components/state-tag';
import { TaskWhy } from '../../components/task-why';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

/** The job's latest tasks; the full list is one click away with the same filter. */
export function JobTasks({ jobId }: { jobId: string }) {
  const t = useT();
  const code = useCodeText();
  const query = useQuery({
    queryKey: ['tasks', 'of-job', jobId],
    queryFn: ({ signal }) => api.get<ConsoleTaskList>('tasks', { job: jobId, limit: 50 }, signal),
    placeholderData: (before) => before,
    refetchInterval: useLookAgain(),
  });
  const columns: Column<TaskSummary>[] = [
    { key: 'state', title: t('task.state'), cell: (task) => <StateTag state={task.state} late={task.late} /> },
    { key: 'id', title: t('task.id'), cell: ({ id }) => <ShortId id={id} to="/tasks/$taskId" /> },
    { key: 'trigger', title: t('task.trigger'), cell: ({ trigger }) => code('trigger', trigger) },
    { key: 'due', title: t('task.due'), cell: ({ dueAt }) => <Instant at={dueAt} /> },
    { key: 'started', title: t('task.started'), cell: ({ startedAt }) => <Instant at={startedAt} /> },
    {
      key: 'duration',
      title: t('task.duration'),
      numeric: true,
      cell: ({ startedAt, finishedAt }) =>
        startedAt && finishedAt ? durationText(Date.parse(finishedAt) - Date.parse(startedAt), t) : '–',
    },
    { key: 'attempt', title: t('task.attempt'), numeric: true, cell: ({ attempt }) => attempt ?? '–' },
    { key: 'why', title: t('task.why'), cell: (task) => <TaskWhy task={task} /> },
  ];
  return (
    <div className="stack">
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <DataTable
        label={t('nav.tasks')}
        columns={columns}
        rows={query.data?.items ?? (query.error ? [] : undefined)}
        rowId={({ id }) => id}
        edge={({ state }) => (state === 'FAILED' || state === 'TIMED_OUT' ? 'failed' : undefined)}
        empty={query.error ? null : <Empty text={t('jobs.neverRan')} />}
      />
      <Link to="/tasks" search={{ job: jobId, since: 'all' } as never}>
        {t('jobs.allTasks')}
      </Link>
    </div>
  );
}
