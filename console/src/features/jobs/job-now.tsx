import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { AuditList } from '../../../../src/admin/contract/audit.js';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { Instant } from '../../components/instant';
import { OutcomeStrip } from '../../components/outcome-strip';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { relativeText } from '../../lib/times';
import { failuresInARow } from './failure-streak';
import { JobWarnings } from './job-dependencies';
import { JobState } from './job-state';
import './jobs.css';

/** What keeps a job from running, said first; when it fires, and what became of it lately. */
export function JobNow({ job }: { job: JobDetail }) {
  const t = useT();
  const { language } = usePreferences();
  const streak = failuresInARow(job);
  return (
    <>
      {job.corrupt && <Alert type="error" showIcon title={t('jobs.corrupt')} description={job.corrupt} />}
      {job.state !== 'active' && <WhyNot job={job} />}
      <JobWarnings job={job} />
      {!job.handlerServed && <Alert type="warning" showIcon title={t('jobs.noWorkerFor', { handler: job.handler })} />}
      <dl className="panel job-now">
        <div>
          <dt>{t('task.state')}</dt>
          <dd className="row">
            <JobState state={job.state} />
            {streak.times > 1 && (
              <strong className="state-failed">
                {t(streak.atLeast ? 'jobs.failingAtLeast' : 'jobs.failingTimes', { n: streak.times })}
              </strong>
            )}
          </dd>
        </div>
        <div>
          <dt>{t('jobs.schedule')}</dt>
          <dd>
            <strong>{scheduleText(job.schedule, job.timeZone, t, language)}</strong>
          </dd>
        </div>
        <div>
          <dt>{t('jobs.next')}</dt>
          <dd>
            <Instant at={job.nextFireAt} jobZone={job.timeZone} /> <Until at={job.nextFireAt} />
          </dd>
        </div>
        <div>
          <dt>{t('jobs.lastFire')}</dt>
          <dd>
            <Instant at={job.lastFireAt} jobZone={job.timeZone} />
          </dd>
        </div>
        <div>
          <dt>{t('jobs.recent')}</dt>
          <dd>
            <OutcomeStrip outcomes={job.recent} />
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Counts down while the fire is near. */
function Until({ at }: { at: string | null }) {
  const { language, zone } = usePreferences();
  const now = useNow(at !== null);
  if (at === null) return null;
  return <span className="secondary">{relativeText(Date.parse(at), now, language, zone)}</span>;
}

/** Paused or disabled: why, and for who may read the log by whom and since when. */
function WhyNot({ job: { id, state, pauseReason, version } }: { job: JobDetail }) {
  const t = useT();
  const may = useMay('audit.view');
  const query = useQuery({
    queryKey: ['audit', 'pause-of-job', id, state, version],
    queryFn: ({ signal }) =>
      api.get<AuditList>('audit', { objectType: 'job', objectId: id, action: 'job.paused', limit: 1 }, signal),
    enabled: may && state === 'paused',
  });
  const [entry] = query.data?.items ?? [];
  return (
    <Alert
      type="warning"
      showIcon
      title={t(`jobState.${state}`)}
      description={
        <span className="row">
          <WrittenText text={pauseReason} />
          {entry && (
            <span className="secondary">
              {t('jobs.pausedBy')} <bdi className="mono">{entry.actor}</bdi> <Instant at={entry.at} />
            </span>
          )}
        </span>
      }
    />
  );
}
