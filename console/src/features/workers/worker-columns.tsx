import { Link } from '@tanstack/react-router';
import { Tag } from 'antd';
import { useMemo } from 'react';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { Bar } from '../../components/bar';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { durationText, shareText } from '../../lib/times';
import { totalSlots } from './slots';
import { WorkerState } from './worker-state';

export function useWorkerColumns(): Column<WorkerSummary>[] {
  const t = useT();
  return useMemo(
    () => [
      {
        key: 'id',
        title: t('workers.worker'),
        order: ({ id }) => id,
        cell: (worker) => (
          <Link to="/workers/$workerId" params={{ workerId: worker.id }}>
            <bdi>{worker.id}</bdi>
          </Link>
        ),
      },
      { key: 'state', title: t('task.state'), order: ({ state }) => state, cell: (worker) => <WorkerState worker={worker} /> },
      {
        key: 'slots',
        title: t('workers.slots'),
        width: 200,
        order: ({ active }) => active,
        cell: (worker) => (
          <Bar
            value={worker.active}
            max={totalSlots(worker)}
            tone={worker.state === 'online' ? undefined : 'hatched'}
            label={`${worker.active}/${totalSlots(worker)}${worker.queued > 0 ? ` +${worker.queued}` : ''}`}
          />
        ),
      },
      {
        key: 'load',
        title: t('workers.load'),
        numeric: true,
        order: ({ load }) => load,
        cell: ({ load }) => (load === null ? '–' : load.toFixed(1)),
      },
      {
        key: 'cost',
        title: t('workers.cost'),
        numeric: true,
        order: ({ avgCostMs }) => avgCostMs,
        cell: ({ avgCostMs }) => durationText(avgCostMs, t),
      },
      {
        key: 'cpu',
        title: t('workers.cpu'),
        numeric: true,
        order: ({ cpuIdlePercent }) => 100 - cpuIdlePercent,
        cell: ({ cpuIdlePercent }) => shareText(1 - cpuIdlePercent / 100),
      },
      {
        key: 'memory',
        title: t('workers.memory'),
        numeric: true,
        order: ({ memoryBytes }) => memoryBytes,
        cell: ({ memoryBytes }) => (memoryBytes === null ? '–' : `${Math.round(memoryBytes / 1048576)} MiB`),
      },
      {
        key: 'skew',
        title: t('workers.skew'),
        numeric: true,
        cell: ({ clockSkewMs }) =>
          clockSkewMs === null ? (
            '–'
          ) : (
            <span className={Math.abs(clockSkewMs) > 500 ? 'state-late' : undefined}>{durationText(clockSkewMs, t)}</span>
          ),
      },
      {
        key: 'beat',
        title: t('workers.beat'),
        order: ({ lastBeatAt }) => lastBeatAt,
        cell: ({ lastBeatAt }) => <Instant at={lastBeatAt} />,
      },
      {
        key: 'groups',
        title: t('workers.groups'),
        cell: ({ groups, hiddenGroups }) => (
          <span className="one-line">
            {groups.map((group) => (
              <Tag key={group}>{group}</Tag>
            ))}
            {hiddenGroups > 0 && <span className="secondary">{t('workers.hiddenGroups', { n: hiddenGroups })}</span>}
          </span>
        ),
      },
      {
        key: 'handlers',
        title: t('workers.handlers'),
        cell: ({ handlers }) => (
          <bdi title={handlers.join(', ')}>
            {handlers.slice(0, 3).join(', ')}
            {handlers.length > 3 ? ` +${handlers.length - 3}` : ''}
          </bdi>
        ),
      },
    ],
    [t],
  );
}
