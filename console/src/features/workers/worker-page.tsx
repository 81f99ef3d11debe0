import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Alert, Descriptions, Skeleton } from 'antd';
import type { WorkerDetail, WorkerList } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import { LoadExplained } from './load-explained';
import { totalSlots } from './slots';
import { WorkerState } from './worker-state';

/** One worker: what it can, what it does, and why it gets as much as it gets. */
export function WorkerPage() {
  const t = useT();
  const { workerId } = useParams({ strict: false }) as { workerId: string };
  const query = useQuery({
    queryKey: ['workers', 'detail', workerId],
    queryFn: ({ signal }) => api.get<WorkerDetail>(`workers/${segment(workerId)}`, undefined, signal),
    // Its beats are not changes the stream tells of.
    refetchInterval: useLookAgain(),
  });
  const worker = query.data;
  return (
    <Page title={t('workers.worker')} object={workerId} actions={worker && <DrainButton worker={worker} />}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!worker && !query.error && <Skeleton active />}
      {worker && (
        <>
          {worker.lastRefusedBeat && (
            <Alert
              type="warning"
              showIcon
              title={
                <span>
                  {t('workers.refusedBeat')} <Instant at={worker.lastRefusedBeat.at} />
                </span>
              }
              description={worker.lastRefusedBeat.errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}
            />
          )}
          <Facts worker={worker} />
          <div className="row">
            <Link to="/tasks" search={{ worker: worker.id, state: ['DISPATCHED', 'RUNNING'], since: 'all' } as never}>
              {t('workers.itsTasks')}
            </Link>
          </div>
          {worker.groups.map((group) => (
            <LoadExplained key={group} workerId={worker.id} group={group} />
          ))}
        </>
      )}
    </Page>
  );
}

function Facts({ worker }: { worker: WorkerDetail }) {
  const t = useT();
  const items = [
    { key: 'state', label: t('task.state'), children: <WorkerState worker={worker} /> },
    {
      key: 'slots',
      label: t('workers.slots'),
      children: t('workers.slotsText', {
        active: worker.active,
        slots: totalSlots(worker),
        queued: worker.queued,
        free: worker.freeSlots,
      }),
    },
    { key: 'cost', label: t('workers.cost'), children: durationText(worker.avgCostMs) },
    { key: 'cpu', label: t('workers.cpu'), children: `${Math.round(100 - worker.cpuIdlePercent)} %` },
    { key: 'skew', label: t('workers.skew'), children: worker.clockSkewMs === null ? '–' : durationText(worker.clockSkewMs) },
    { key: 'beat', label: t('workers.beat'), children: <Instant at={worker.lastBeatAt} /> },
    { key: 'registered', label: t('workers.registered'), children: <Instant at={worker.registeredAt} /> },
    { key: 'zone', label: t('workers.zone'), children: <bdi>{worker.zone ?? '–'}</bdi> },
    { key: 'tags', label: t('workers.tags'), children: <bdi>{worker.tags.join(', ') || '–'}</bdi> },
    { key: 'urls', label: t('workers.urls'), children: <bdi className="mono">{worker.urls.join(' ')}</bdi> },
    { key: 'sdk', label: 'SDK', children: <bdi>{worker.sdk}</bdi> },
    { key: 'incarnation', label: t('workers.incarnation'), children: <span className="mono">{worker.incarnation}</span> },
    { key: 'groups', label: t('workers.groups'), children: <bdi>{worker.groups.join(', ')}</bdi> },
    { key: 'handlers', label: t('workers.handlers'), span: 2, children: <bdi>{worker.handlers.join(', ')}</bdi> },
  ];
  return <Descriptions bordered size="small" column={{ xs: 1, sm: 2, lg: 3 }} items={items} />;
}

function DrainButton({ worker }: { worker: WorkerDetail }) {
  const t = useT();
  const client = useQueryClient();
  const path = `workers/${segment(worker.id)}`;
  const refresh = () => void client.invalidateQueries({ queryKey: ['workers'] });
  const others = useQuery({
    queryKey: ['workers', 'list', {}],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', undefined, signal),
  });
  const alone = worker.groups.filter(
    (group) =>
      !others.data?.items.some(({ id, state, groups }) => id !== worker.id && state === 'online' && groups.includes(group)),
  );
  const common = { permission: 'workers.drain', group: worker.groups[0] ?? null, object: worker.id, onDone: refresh } as const;
  if (worker.drainAsked)
    return (
      <ActionButton
        {...common}
        label={t('workers.undrain')}
        confirm="none"
        run={(reason) => api.post(`${path}/undrain`, { reason })}
        done={t('workers.undrained')}
      />
    );
  return (
    <ActionButton
      {...common}
      label={t('workers.drain')}
      danger
      confirm={alone.length > 0 ? 'name' : 'dialog'}
      reasonRequired
      preview={
        <>
          <span>{t('workers.drainPreview', { n: worker.active + worker.queued })}</span>
          {alone.length > 0 && <strong className="state-failed">{t('workers.drainLast', { groups: alone.join(', ') })}</strong>}
        </>
      }
      run={(reason) => api.post(`${path}/drain`, { reason })}
      done={t('workers.drainAsked')}
    />
  );
}
