import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Alert, Skeleton, Tabs } from 'antd';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { JsonText } from '../../components/json-text';
import { OutcomeStrip } from '../../components/outcome-strip';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { one } from '../../lib/search';
import { PauseButton, RunButton, RunWithParams } from './job-actions';
import { JobConfig } from './job-config';
import { JobDependencies, JobWarnings } from './job-dependencies';
import { JobState } from './job-state';
import { JobTasks } from './job-tasks';
import { JobVersionsTab } from './job-versions';
import { NextFires } from './next-fires';

const TABS = ['tasks', 'schedule', 'config', 'dependencies', 'versions'] as const;

/** One job: what it does and when, what became of it lately, and what it was before. */
export function JobPage() {
  const t = useT();
  const { language } = usePreferences();
  const { jobId } = useParams({ strict: false }) as { jobId: string };
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  const path = `jobs/${segment(jobId)}`;
  const query = useQuery({
    queryKey: ['jobs', 'detail', jobId],
    queryFn: ({ signal }) => api.get<JobDetail>(path, undefined, signal),
  });
  const job = query.data;
  const refresh = () => void client.invalidateQueries({ queryKey: ['jobs'] });
  const tab = TABS.find((name) => name === one(raw, 'tab')) ?? 'tasks';
  return (
    <Page
      title={t('jobs.job')}
      object={job?.key}
      actions={
        job && (
          <>
            <RunButton job={job} refresh={refresh} />
            <RunWithParams job={job} />
            <PauseButton job={job} refresh={refresh} />
            <Link to="/jobs/$jobId/edit" params={{ jobId }}>
              {t('jobs.edit')}
            </Link>
            <Link to="/jobs/new" search={{ copyFrom: jobId } as never}>
              {t('jobs.copy')}
            </Link>
            <ActionButton
              label={t('users.delete')}
              permission="jobs.edit"
              group={job.group}
              object={job.key}
              danger
              confirm="name"
              run={(reason) => api.delete(path, { reason })}
              done={t('users.deleted')}
              onDone={() => {
                refresh();
                void navigate({ to: '/jobs' });
              }}
            />
          </>
        )
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!job && !query.error && <Skeleton active />}
      {job && (
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
          <Tabs
            activeKey={tab}
            onChange={(key) => void navigate({ to: '.', search: { tab: key === 'tasks' ? undefined : key } as never })}
            items={[
              { key: 'tasks', label: t('nav.tasks'), children: <JobTasks jobId={jobId} /> },
              { key: 'schedule', label: t('jobs.schedule'), children: <NextFires jobId={jobId} version={job.version} /> },
              {
                key: 'config',
                label: t('jobs.config'),
                children: (
                  <div className="stack">
                    <JobConfig job={job} />
                    <h2>{t('task.params')}</h2>
                    <JsonText text={job.paramsText} label={t('task.params')} />
                  </div>
                ),
              },
              { key: 'dependencies', label: t('jobs.dependencies'), children: <JobDependencies job={job} /> },
              { key: 'versions', label: t('jobs.versions'), children: <JobVersionsTab job={job} onRestored={refresh} /> },
            ]}
          />
        </>
      )}
    </Page>
  );
}
