import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Alert, Skeleton } from 'antd';
import type { GroupView } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { Bar } from '../../components/bar';
import { ErrorPanel } from '../../components/error-panel';
import { GroupBalancePanel } from '../../components/group-balance';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { ArchiveZone, UnarchiveButton } from './archiving';
import { GroupAccessPanel } from './group-access';
import { GroupCharts } from './group-charts';
import { GroupForm } from './group-form';
import { GroupSharesPanel } from './group-shares';
import { HoldText, Oldest } from './groups-page';
import { HoldButton } from './hold-button';

/** One group: its quota and how much of it is used, its hold, its settings. */
export function GroupPage() {
  const t = useT();
  const client = useQueryClient();
  const { groupKey } = useParams({ strict: false }) as { groupKey: string };
  const query = useQuery({
    queryKey: ['groups', 'detail', groupKey],
    queryFn: ({ signal }) => api.get<GroupView>(`groups/${segment(groupKey)}`, undefined, signal),
  });
  const group = query.data;
  const refresh = () => void client.invalidateQueries({ queryKey: ['groups'] });
  // Nothing comes in and nothing is left that a hold or a limit could concern.
  const shut = Boolean(group?.archivedAt && group.pending.count + group.running === 0);
  return (
    <Page
      title={t('task.group')}
      object={groupKey}
      actions={
        group && (
          <>
            {group.hold ? (
              <ActionButton
                label={t('groups.release')}
                permission="groups.hold"
                group={group.key}
                object={group.key}
                confirm="dialog"
                run={(reason) => api.post(`groups/${segment(group.key)}/release`, { reason })}
                done={t('groups.released')}
                onDone={refresh}
              />
            ) : (
              <HoldButton group={group} blocked={shut ? t('groups.shut') : null} onDone={refresh} />
            )}
            {group.archivedAt && <UnarchiveButton group={group} onDone={refresh} />}
          </>
        )
      }
    >
      {query.error && (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} object={{ type: 'group', id: groupKey }} />
      )}
      {!group && !query.error && <Skeleton active />}
      {group && (
        <>
          {group.archivedAt && (
            <Alert
              type="info"
              showIcon
              title={t('groups.archivedNow')}
              description={
                <span>
                  {t('groups.archivedSince')} <Instant at={group.archivedAt} />
                </span>
              }
            />
          )}
          {group.hold && (
            <Alert type="warning" showIcon title={t('groups.heldNow')} description={<HoldText hold={group.hold} />} />
          )}
          {group.workers.online === 0 && group.pending.count > 0 && <Alert type="error" showIcon title={t('groups.noWorker')} />}
          <section className="panel stack" aria-label={t('groups.use')}>
            <h2>{t('groups.use')}</h2>
            <Bar
              value={group.running}
              max={group.maxRunning}
              label={
                group.maxRunning === 0
                  ? t('groups.quotaZero', { running: group.running.toLocaleString() })
                  : t('groups.usedOf', {
                      running: group.running.toLocaleString(),
                      maxRunning: group.maxRunning.toLocaleString(),
                    })
              }
            />
            <Bar
              value={group.pending.count}
              max={group.maxPending}
              label={t('groups.pendingOf', {
                pending: `${group.pending.count.toLocaleString()}${group.pending.capped ? '+' : ''}`,
                maxPending: group.maxPending.toLocaleString(),
              })}
            />
            <span className="secondary">
              {t('groups.oldest')}
              {t('punctuation.colon')}
              <Oldest group={group} />
            </span>
            <span className="secondary">
              {t('groups.rate')}
              {t('punctuation.colon')}
              {group.maxDispatchRate === null ? t('groups.unlimited') : t('groups.perSecond', { n: group.maxDispatchRate })}
            </span>
            <div className="row">
              <Link to="/tasks" search={{ group: [group.key], since: 'all', state: ['PENDING'] } as never}>
                {t('groups.waitingTasks')}
              </Link>
              <Link to="/workers" search={{ group: group.key } as never}>
                {t('groups.itsWorkers')}
              </Link>
              <Link to="/jobs" search={{ group: [group.key] } as never}>
                {t('groups.itsJobs')}
              </Link>
            </div>
          </section>
          <GroupSharesPanel group={group.key} />
          <GroupBalancePanel group={group.key} />
          <GroupForm key={group.revision} group={group} blocked={shut ? t('groups.shut') : null} onSaved={refresh} />
          <GroupCharts group={group} />
          <GroupAccessPanel group={group.key} />
          {!group.archivedAt && <ArchiveZone group={group} onDone={refresh} />}
        </>
      )}
    </Page>
  );
}
