import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Tabs } from 'antd';
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { JsonText } from '../../components/json-text';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { RunAndTurn, RunWithParams } from './job-actions';
import { JobBackfills } from './job-backfills';
import { JobConfig } from './job-config';
import { JobDependencies } from './job-dependencies';
import { JobNow } from './job-now';
import { JobOverview } from './job-overview';
import { JobTasks } from './job-tasks';
import { JobVersionsTab } from './job-versions';
import { NextFires } from './next-fires';

const TABS = ['overview', 'tasks', 'schedule', 'config', 'dependencies', 'versions', 'callbacks', 'audit'] as const;

/**
 * One job: what it does and when, what became of it lately, and what it was before. `callbacks` and `audit` are other features' lists of
 * it, drawn only when they are looked at; null for who may not see them.
 */
export function JobPage({
  callbacks,
  audit,
}: {
  callbacks: ((jobId: string) => ReactNode) | null;
  audit: ((jobId: string) => ReactNode) | null;
}) {
  const t = useT();
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
  const tab = TABS.find((name) => name === one(raw, 'tab')) ?? 'overview';
  return (
    <Page
      title={t('jobs.job')}
      object={job?.key}
      actions={
        job && (
          <>
            <RunAndTurn job={job} />
            <RunWithParams job={job} />
            <Link className="link-button" to="/jobs/$jobId/edit" params={{ jobId }}>
              {t('jobs.edit')}
            </Link>
            <Link className="link-button" to="/jobs/new" search={{ copyFrom: jobId } as never}>
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
      <Loaded query={query} object={{ type: 'job', id: jobId }}>
        {(job) => (
          <>
            <JobNow job={job} />
            <Tabs
              destroyOnHidden
              activeKey={tab}
              onChange={(key) => void navigate({ to: '.', search: { tab: key === 'overview' ? undefined : key } as never })}
              items={[
                { key: 'overview', label: t('jobs.overview'), children: <JobOverview job={job} /> },
                { key: 'tasks', label: t('nav.tasks'), children: <JobTasks jobId={jobId} /> },
                {
                  key: 'schedule',
                  label: t('jobs.schedule'),
                  children: (
                    <div className="stack">
                      <NextFires jobId={jobId} version={job.version} />
                      <JobBackfills job={job} />
                    </div>
                  ),
                },
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
                ...(callbacks ? [{ key: 'callbacks', label: t('nav.callbacks'), children: callbacks(jobId) }] : []),
                ...(audit ? [{ key: 'audit', label: t('nav.audit'), children: audit(jobId) }] : []),
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
