import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { RunTime } from '../../components/run-time';
import { ShortId } from '../../components/short-id';
import { StateTag } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

export function useTaskColumns(): Column<TaskSummary>[] {
  const t = useT();
  const code = useCodeText();
  return useMemo(
    () => [
      { key: 'state', title: t('task.state'), cell: (task) => <StateTag state={task.state} late={task.late} /> },
      { key: 'id', title: t('task.id'), cell: (task) => <ShortId id={task.id} to={`/tasks/${task.id}`} /> },
      {
        key: 'job',
        title: t('task.jobOrHandler'),
        cell: (task) =>
          task.job ? (
            <Link to="/jobs/$jobId" params={{ jobId: task.job.id }}>
              <bdi>{task.job.key ?? task.job.id}</bdi>
            </Link>
          ) : (
            <bdi className="mono">{task.handler}</bdi>
          ),
      },
      {
        key: 'group',
        title: t('task.group'),
        cell: (task) => (
          <Link to="/groups/$groupKey" params={{ groupKey: task.group }}>
            <bdi>{task.group}</bdi>
          </Link>
        ),
      },
      { key: 'trigger', title: t('task.trigger'), cell: (task) => code('trigger', task.trigger) },
      { key: 'due', title: t('task.due'), cell: (task) => <Instant at={task.dueAt} /> },
      {
        key: 'started',
        title: t('task.started'),
        cell: (task) => (
          <span>
            <Instant at={task.startedAt} /> <StartDelay task={task} />
          </span>
        ),
      },
      {
        key: 'duration',
        title: t('task.duration'),
        numeric: true,
        cell: ({ startedAt, finishedAt }) => (
          <RunTime startedAt={startedAt && Date.parse(startedAt)} endedAt={finishedAt && Date.parse(finishedAt)} />
        ),
      },
      { key: 'attempt', title: t('task.attempt'), numeric: true, cell: (task) => task.attempt },
      {
        key: 'worker',
        title: t('task.worker'),
        cell: (task) =>
          task.worker ? (
            <Link to="/workers/$workerId" params={{ workerId: task.worker }}>
              <bdi>{task.worker}</bdi>
            </Link>
          ) : (
            '–'
          ),
      },
      {
        key: 'why',
        title: t('task.why'),
        cell: (task) => (
          <span className="error-line" title={task.error?.message}>
            {task.error ? task.error.message : task.reason ? code('reason', task.reason) : ''}
          </span>
        ),
      },
    ],
    [t, code],
  );
}

/** How long after it was due it started; loud from five seconds on. */
function StartDelay({ task }: { task: TaskSummary }) {
  if (!task.startedAt) return null;
  const delay = Date.parse(task.startedAt) - Date.parse(task.dueAt);
  if (delay < 1_000) return null;
  return <span className={delay > 5_000 ? 'state-late' : 'secondary'}>+{durationText(delay)}</span>;
}
