import type { TaskState } from '@evenkeel/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Tag } from 'antd';
import { useMemo } from 'react';
import type { JobSummary } from '../../../../src/admin/contract/jobs.js';
import type { Column } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { OutcomeStrip } from '../../components/outcome-strip';
import { FAMILY_OF, StateIcon, StateTag } from '../../components/state-tag';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { browserZone } from '../../lib/times';
import { CARRIED } from './failure-streak';
import { RunAndTurn } from './job-actions';
import { JobState } from './job-state';

/** How its latest task is; and where that has ended and earlier ones have not, that too. */
function LastStates({ recent }: Pick<JobSummary, 'recent'>) {
  const t = useT();
  const [last, ...earlier] = recent;
  if (!last) return '–';
  const isOpen = ({ state }: { state: TaskState }) => FAMILY_OF[state] === 'waiting' || FAMILY_OF[state] === 'running';
  const open = isOpen(last) ? [] : earlier.filter(isOpen);
  const family = open.some(({ state }) => FAMILY_OF[state] === 'running') ? 'running' : 'waiting';
  return (
    <>
      <StateTag state={last.state} />
      {open.length > 0 && (
        <span className={`state-tag state-${family} last-open`}>
          <StateIcon family={family} />
          <span>{t(recent.length < CARRIED ? 'jobs.alsoOpen' : 'jobs.alsoOpenAtLeast', { n: open.length })}</span>
        </span>
      )}
    </>
  );
}

export function useJobColumns(): Column<JobSummary>[] {
  const t = useT();
  const { language, zone } = usePreferences();
  const shown = zone ?? browserZone();
  return useMemo(
    () => [
      {
        key: 'key',
        title: t('jobs.job'),
        cell: (job) => (
          <span>
            <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
              <bdi>{job.key}</bdi>
            </Link>{' '}
            {job.tags.map((tag) => (
              <Tag key={tag}>
                <WrittenText text={tag} />
              </Tag>
            ))}
          </span>
        ),
      },
      { key: 'group', title: t('task.group'), cell: ({ group }) => <bdi>{group}</bdi> },
      {
        key: 'handler',
        title: t('jobs.handler'),
        cell: ({ handler, handlerServed }) => (
          <span>
            <bdi className="mono">{handler}</bdi>
            {!handlerServed && <span className="state-late handler-missing">{t('jobs.noWorker')}</span>}
          </span>
        ),
      },
      {
        key: 'schedule',
        title: t('jobs.schedule'),
        cell: (job) =>
          job.corrupt ? (
            <span className="state-failed">{t('jobs.corrupt')}</span>
          ) : (
            <span>{scheduleText(job.schedule, job.timeZone, t, language, shown)}</span>
          ),
      },
      { key: 'state', title: t('task.state'), cell: ({ state, pauseReason }) => <JobState state={state} reason={pauseReason} /> },
      { key: 'last', title: t('jobs.last'), cell: ({ recent }) => <LastStates recent={recent} /> },
      { key: 'strip', title: t('jobs.recent'), cell: ({ recent }) => <OutcomeStrip outcomes={recent} /> },
      { key: 'next', title: t('jobs.next'), cell: ({ nextFireAt, timeZone }) => <Instant at={nextFireAt} jobZone={timeZone} /> },
      { key: 'owner', title: t('jobs.owner'), cell: ({ owner }) => <WrittenText text={owner} /> },
      {
        key: 'actions',
        title: t('users.actions'),
        cell: (job) => (
          <span className="row" style={{ flexWrap: 'nowrap' }}>
            <RunAndTurn job={job} />
          </span>
        ),
      },
    ],
    [t, language, shown],
  );
}
