import { Link } from '@tanstack/react-router';
import { Alert } from 'antd';
import type { JobDetail, LinkedJob } from '../../../../src/admin/contract/jobs.js';
import { useT } from '../../lib/i18n';

/** What its dependencies cannot bring about, or not now, and which jobs it is because of. */
export function JobWarnings({ job }: { job: JobDetail }) {
  const t = useT();
  // Nodes of the version before do not tell.
  const stopped = job.stoppedUpstreams ?? [];
  return (
    <>
      {job.warnings.map(({ code, jobs }) => (
        <Alert
          key={code}
          type="warning"
          showIcon
          title={t(`jobWarning.${code}`)}
          description={<JobLinks jobs={job.upstreamJobs.filter(({ id }) => jobs.includes(id))} />}
        />
      ))}
      {stopped.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t(job.schedule.kind === 'upstream' ? 'jobs.stoppedUpstreams' : 'jobs.stoppedAwaited')}
          description={<JobLinks jobs={stopped} />}
        />
      )}
    </>
  );
}

/** The jobs beside it, and the way to all of them. */
export function JobDependencies({ job }: { job: JobDetail }) {
  const t = useT();
  return (
    <div className="stack">
      {[
        { title: t('jobs.waitsFor'), jobs: job.upstreamJobs },
        { title: t('jobs.awaitedBy'), jobs: job.downstreamJobs },
      ].map(({ title, jobs }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          {jobs.length === 0 ? <span className="secondary">{t('jobs.noneBeside')}</span> : <JobLinks jobs={jobs} />}
        </section>
      ))}
      <Link to="/graph" search={{ focus: job.id } as never}>
        {t('jobs.inGraph')}
      </Link>
    </div>
  );
}

/** One in a group the caller may not see is counted, not named. */
function JobLinks({ jobs }: { jobs: readonly LinkedJob[] }) {
  const t = useT();
  return (
    <ul className="plain-list">
      {jobs.map(({ id, key, group }) => (
        <li key={id}>
          {key === null ? (
            <span className="secondary">{t('jobs.hiddenJob')}</span>
          ) : (
            <Link to="/jobs/$jobId" params={{ jobId: id }}>
              <bdi>
                {group}/{key}
              </bdi>
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
