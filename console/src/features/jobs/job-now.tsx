import { Alert } from 'antd';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { Instant } from '../../components/instant';
import { OutcomeStrip } from '../../components/outcome-strip';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { JobWarnings } from './job-dependencies';
import { JobState } from './job-state';

/** What keeps a job from running, said first; when it fires, and what became of it lately. */
export function JobNow({ job }: { job: JobDetail }) {
  const t = useT();
  const { language } = usePreferences();
  return (
    <>
      {job.corrupt && <Alert type="error" showIcon title={t('jobs.corrupt')} description={job.corrupt} />}
      {job.state !== 'active' && (
        <Alert type="warning" showIcon title={t(`jobState.${job.state}`)} description={<bdi>{job.pauseReason ?? ''}</bdi>} />
      )}
      <JobWarnings job={job} />
      {!job.handlerServed && <Alert type="warning" showIcon title={t('jobs.noWorkerFor', { handler: job.handler })} />}
      <div className="row panel">
        <JobState state={job.state} />
        <strong>{scheduleText(job.schedule, job.timeZone, t, language)}</strong>
        <span className="secondary">{t('jobs.next')}</span>
        <Instant at={job.nextFireAt} jobZone={job.timeZone} />
        <span className="secondary">{t('jobs.lastFire')}</span>
        <Instant at={job.lastFireAt} jobZone={job.timeZone} />
        <OutcomeStrip outcomes={job.recent} />
      </div>
    </>
  );
}
