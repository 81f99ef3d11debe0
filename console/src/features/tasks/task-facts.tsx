import { Link } from '@tanstack/react-router';
import { Descriptions } from 'antd';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { Instant } from '../../components/instant';
import { RunTime } from '../../components/run-time';
import { StateTag } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText, shareText } from '../../lib/times';

/** `narrow`: one below the other, where there is no room for more. */
export function TaskFacts({ task, narrow = false }: { task: TaskDetail; narrow?: boolean }) {
  const t = useT();
  const code = useCodeText();
  const { tags, zone } = task.workerFilter;
  const { routingKey, preferZone } = task.policies;
  const started = task.startedAt ? Date.parse(task.startedAt) : null;
  const ended = task.finishedAt ? Date.parse(task.finishedAt) : null;
  const items = [
    { key: 'state', label: t('task.state'), children: <StateTag state={task.state} late={task.late} /> },
    { key: 'reason', label: t('task.reason'), children: task.reason ? code('reason', task.reason) : '–' },
    {
      key: 'group',
      label: t('task.group'),
      children: (
        <Link to="/groups/$groupKey" params={{ groupKey: task.group }}>
          <bdi>{task.group}</bdi>
        </Link>
      ),
    },
    {
      key: 'trigger',
      label: t('task.trigger'),
      children: `${code('trigger', task.trigger)}${task.actor ? ` · ${task.actor}` : ''}`,
    },
    { key: 'scheduled', label: t('task.scheduled'), children: <Instant at={task.scheduledAt} /> },
    { key: 'due', label: t('task.due'), children: <Instant at={task.dueAt} /> },
    { key: 'started', label: t('task.started'), children: <Instant at={task.startedAt} /> },
    { key: 'finished', label: t('task.finished'), children: <Instant at={task.finishedAt} /> },
    {
      key: 'duration',
      label: t('task.duration'),
      children: <RunTime startedAt={started} endedAt={ended} />,
    },
    {
      key: 'attempt',
      label: t('task.attempt'),
      children:
        task.attempt === null
          ? t('task.notBegun')
          : t('task.attemptOf', { attempt: task.attempt, retries: task.retries, crashes: task.crashes }),
    },
    {
      key: 'worker',
      label: t('task.worker'),
      children: task.worker ? (
        <Link to="/workers/$workerId" params={{ workerId: task.worker }}>
          <bdi>{task.worker}</bdi>
        </Link>
      ) : (
        '–'
      ),
    },
    { key: 'priority', label: t('task.priority'), children: task.priority },
    {
      key: 'timeout',
      label: t('task.timeout'),
      children: task.timeoutMs === 0 ? t('task.noTimeout') : durationText(task.timeoutMs, t),
    },
    {
      key: 'crid',
      label: 'clientRequestId',
      children: task.clientRequestId ? <bdi className="mono">{task.clientRequestId}</bdi> : '–',
    },
    { key: 'app', label: t('task.app'), children: task.app ? <bdi>{task.app.name}</bdi> : '–' },
    ...(tags.length + (zone === null ? 0 : 1) > 0
      ? [
          {
            key: 'only',
            label: t('task.onlyWorkers'),
            children: <bdi>{[...tags, ...(zone === null ? [] : [zone])].join(', ')}</bdi>,
          },
        ]
      : []),
    ...(routingKey === undefined
      ? []
      : [{ key: 'routingKey', label: t('task.routingKey'), children: <bdi className="mono">{routingKey}</bdi> }]),
    ...(preferZone === undefined ? [] : [{ key: 'preferZone', label: t('task.preferZone'), children: <bdi>{preferZone}</bdi> }]),
    ...(task.progress === null ? [] : [{ key: 'progress', label: t('task.progress'), children: shareText(task.progress) }]),
    ...(task.callbackUrl === null
      ? []
      : [{ key: 'callback', label: t('task.callbackUrl'), children: <bdi className="mono">{task.callbackUrl}</bdi> }]),
    ...Object.entries(task.metadata).map(([name, value]) => ({
      key: `meta-${name}`,
      label: <bdi>{name}</bdi>,
      children: <bdi>{value}</bdi>,
    })),
  ];
  return <Descriptions bordered size="small" column={narrow ? 1 : { xs: 1, sm: 2, lg: 3, xxl: 4 }} items={items} />;
}
