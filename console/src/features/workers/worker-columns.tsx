import { Link } from '@tanstack/react-router';
import { Tag } from 'antd';
import { useMemo } from 'react';
import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { Bar } from '../../components/bar';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import { totalSlots } from './slots';
import { WorkerState } from './worker-state';

export function useWorkerColumns(): Column<WorkerSummary>[] {
  const t = useT();
  return useMemo(
    () => [
      {
        key: 'id',
        title: t('workers.worker'),
        cell: (worker) => (
          <Link to="/workers/$workerId" params={{ workerId: worker.id }}>
            <bdi>{worker.id}</bdi>
          </Link>
        ),
      },
      { key: 'state', title: t('task.state'), cell: (worker) => <WorkerState worker={worker} /> },
      {
        key: 'slots',
        title: t('workers.slots'),
        width: 200,
        cell: (worker) => (
          <Bar
            value={worker.active}
            max={totalSlots(worker)}
            tone={worker.state === 'online' ? undefined : 'hatched'}
            label={`${worker.active}/${totalSlots(worker)}${worker.queued > 0 ? ` +${worker.queued}` : ''}`}
          />
        ),
      },
      { key: 'load', title: t('workers.load'), numeric: true, cell: ({ load }) => (load === null ? '–' : load.toFixed(1)) },
      { key: 'cost', title: t('workers.cost'), numeric: true, cell: ({ avgCostMs }) => durationText(avgCostMs) },
      {
        key: 'cpu',
        title: t('workers.cpu'),
        numeric: true,
        cell: ({ cpuIdlePercent }) => `${Math.round(100 - cpuIdlePercent)} %`,
      },
      {
        key: 'memory',
        title: t('workers.memory'),
        numeric: true,
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
            <span className={Math.abs(clockSkewMs) > 500 ? 'state-late' : undefined}>{durationText(clockSkewMs)}</span>
          ),
      },
      { key: 'beat', title: t('workers.beat'), cell: ({ lastBeatAt }) => <Instant at={lastBeatAt} /> },
      {
        key: 'groups',
        title: t('workers.groups'),
        cell: ({ groups }) => groups.map((group) => <Tag key={group}>{group}</Tag>),
      },
      {
        key: 'handlers',
        title: t('workers.handlers'),
        cell: ({ handlers }) => (
          <bdi title={handlers.join(', ')}>
            {handlers.slice(0, 4).join(', ')}
            {handlers.length > 4 ? ` +${handlers.length - 4}` : ''}
          </bdi>
        ),
      },
    ],
    [t],
  );
}
