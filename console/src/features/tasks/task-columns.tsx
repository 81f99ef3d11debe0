import { memo, useMemo } from 'react';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { RowLink } from '../../components/row-link';
import { RunTime } from '../../components/run-time';
import { ShortId } from '../../components/short-id';
import { StateTag } from '../../components/state-tag';
import { TaskWhy } from '../../components/task-why';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

export function useTaskColumns(): Column<TaskSummary>[] {
  const t = useT();
  const code = useCodeText();
  return useMemo(
    () => [
      { key: 'state', title: t('task.state'), cell: (task) => <StateTag state={task.state} late={task.late} /> },
      { key: 'id', title: t('task.id'), cell: (task) => <ShortId id={task.id} to="/tasks/$taskId" /> },
      {
        key: 'job',
        title: t('task.jobOrHandler'),
        cell: (task) =>
          task.job ? (
            <RowLink
              className="job-name"
              to="/jobs/$jobId"
              id={task.job.id}
              text={task.job.key ?? task.job.id}
              title={task.job.key ?? task.job.id}
            />
          ) : (
            <bdi className="mono job-name" title={task.handler}>
              {task.handler}
            </bdi>
          ),
      },
      {
        key: 'group',
        title: t('task.group'),
        cell: (task) => <RowLink to="/groups/$groupKey" id={task.group} />,
      },
      { key: 'trigger', title: t('task.trigger'), cell: (task) => code('trigger', task.trigger) },
      { key: 'due', title: t('task.due'), cell: (task) => <Instant at={task.dueAt} /> },
      {
        key: 'started',
        title: t('task.started'),
        cell: (task) => (
          <span>
            <Instant at={task.startedAt} /> <StartDelay dueAt={task.dueAt} startedAt={task.startedAt} />
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
      { key: 'attempt', title: t('task.attempt'), numeric: true, cell: (task) => task.attempt ?? '–' },
      {
        key: 'worker',
        title: t('task.worker'),
        cell: (task) => (task.worker ? <RowLink to="/workers/$workerId" id={task.worker} /> : '–'),
      },
      { key: 'why', title: t('task.why'), cell: (task) => <TaskWhy task={task} /> },
    ],
    [t, code],
  );
}

/** How long after it was due it started; loud from five seconds on. */
const StartDelay = memo(function StartDelay({ dueAt, startedAt }: Pick<TaskSummary, 'dueAt' | 'startedAt'>) {
  const t = useT();
  if (!startedAt) return null;
  const delay = Date.parse(startedAt) - Date.parse(dueAt);
  if (delay < 1_000) return null;
  return <span className={delay > 5_000 ? 'state-late' : 'secondary'}>+{durationText(delay, t)}</span>;
});
