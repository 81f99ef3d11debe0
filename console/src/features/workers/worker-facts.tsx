import { Link } from '@tanstack/react-router';
import { Alert, Descriptions } from 'antd';
import type { WorkerDetail } from '../../../../src/admin/contract/workers.js';
import { Instant } from '../../components/instant';
import { WrittenText } from '../../components/written-text';
import { faultText } from '../../lib/field-words';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { durationText, shareText } from '../../lib/times';
import { totalSlots } from './slots';
import { WorkerState } from './worker-state';

/** What a worker is, what it last said that was not taken, and the way to what it runs. `narrow`: one below the other. */
export function WorkerFacts({ worker, narrow = false }: { worker: WorkerDetail; narrow?: boolean }) {
  const t = useT();
  const { language } = usePreferences();
  const { lastRefusedBeat, cordon, drain } = worker;
  const items = [
    { key: 'state', label: t('task.state'), children: <WorkerState worker={worker} /> },
    {
      key: 'slots',
      label: t('workers.slots'),
      children: t(worker.state === 'online' ? 'workers.slotsText' : 'workers.slotsClosed', {
        active: worker.active,
        slots: totalSlots(worker),
        queued: worker.queued,
        free: worker.freeSlots,
      }),
    },
    { key: 'inFlight', label: t('workers.inFlight'), children: worker.inFlight },
    { key: 'cost', label: t('workers.cost'), children: durationText(worker.avgCostMs, t) },
    { key: 'cpu', label: t('workers.cpu'), children: shareText(1 - worker.cpuIdlePercent / 100) },
    { key: 'skew', label: t('workers.skew'), children: worker.clockSkewMs === null ? '–' : durationText(worker.clockSkewMs, t) },
    { key: 'beat', label: t('workers.beat'), children: <Instant at={worker.lastBeatAt} /> },
    { key: 'registered', label: t('workers.registered'), children: <Instant at={worker.registeredAt} /> },
    { key: 'zone', label: t('workers.zone'), children: <bdi>{worker.zone ?? '–'}</bdi> },
    { key: 'tags', label: t('workers.tags'), children: <bdi>{worker.tags.join(', ') || '–'}</bdi> },
    { key: 'urls', label: t('workers.urls'), children: <bdi className="mono">{worker.urls.join(' ')}</bdi> },
    { key: 'sdk', label: 'SDK', children: <bdi>{worker.sdk}</bdi> },
    {
      key: 'incarnation',
      label: t('workers.incarnation'),
      children: <span className="mono one-line">{worker.incarnation}</span>,
    },
    { key: 'groups', label: t('workers.groups'), children: <WorkerGroups {...worker} /> },
    {
      key: 'handlers',
      label: t('workers.handlers'),
      span: narrow ? 1 : 2,
      children: <bdi>{worker.handlers.join(', ')}</bdi>,
    },
  ];
  return (
    <>
      {cordon && <SetAside title={t('workers.cordonedSince')} of={cordon} />}
      {drain && <SetAside title={t('workers.drainedSince')} of={drain} stopsAt={drain.deadlineAt} />}
      {lastRefusedBeat && (
        <Alert
          type="warning"
          showIcon
          title={
            <span>
              {t('workers.refusedBeat')} <Instant at={lastRefusedBeat.at} />
            </span>
          }
          description={lastRefusedBeat.errors.map((fault) => `${fault.pointer} ${faultText(fault, language)}`).join('; ')}
        />
      )}
      <Descriptions bordered size="small" column={narrow ? 1 : { xs: 1, sm: 2, lg: 3 }} items={items} />
      <div className="row">
        <Link to="/tasks" search={{ worker: worker.id, state: ['DISPATCHED', 'RUNNING'], since: 'all' } as never}>
          {t('workers.itsTasks')}
        </Link>
      </div>
    </>
  );
}

/** Who keeps work from it, since when and why. */
function SetAside({
  title,
  of: { at, by, reason },
  stopsAt = null,
}: {
  title: string;
  /** What still runs then is stopped. */
  stopsAt?: string | null;
  of: { at: string; by: string | null; reason: string | null };
}) {
  const t = useT();
  return (
    <Alert
      type="info"
      showIcon
      title={
        <span>
          {title} <Instant at={at} />
          {by && (
            <>
              {' · '}
              <bdi>{by}</bdi>
            </>
          )}
        </span>
      }
      description={
        (reason || stopsAt) && (
          <div className="stack" style={{ gap: 4 }}>
            {reason && <WrittenText text={reason} />}
            {stopsAt && (
              <span>
                {t('workers.stopsAt')} <Instant at={stopsAt} />
              </span>
            )}
          </div>
        )
      }
    />
  );
}

/** Groups one may not see are counted, not named. */
function WorkerGroups({ groups, hiddenGroups }: Pick<WorkerDetail, 'groups' | 'hiddenGroups'>) {
  const t = useT();
  return (
    <>
      <bdi>{groups.join(', ')}</bdi>{' '}
      {hiddenGroups > 0 && <span className="secondary">{t('workers.hiddenGroups', { n: hiddenGroups })}</span>}
    </>
  );
}
