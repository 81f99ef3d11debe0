import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { JobDetail, JobHistory, JobRun } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { Chart } from '../../components/chart';
import { Instant } from '../../components/instant';
import { Loaded } from '../../components/loaded';
import { OutcomeStrip } from '../../components/outcome-strip';
import { RunTime } from '../../components/run-time';
import { ShortId } from '../../components/short-id';
import { StateTag } from '../../components/state-tag';
import { useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';
import { DayMap } from './day-map';
import './jobs.css';

/** What became of a job: its latest ends, how long it took, and every day of it. */
export function JobOverview({ job }: { job: JobDetail }) {
  const query = useQuery({
    queryKey: ['tasks', 'history-of-job', job.id],
    queryFn: ({ signal }) => api.get<JobHistory>(`jobs/${segment(job.id)}/history`, undefined, signal),
    placeholderData: keepPreviousData,
    meta: { dear: true },
  });
  return (
    <div className="stack">
      <Loaded query={query}>
        {(history) => (
          <>
            <div className="job-overview">
              <Latest history={history} />
              <DayMap history={history} jobId={job.id} />
            </div>
            <Times recent={history.recent} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Latest({ history: { lastSucceeded, lastFailed, running, recent } }: { history: JobHistory }) {
  const t = useT();
  return (
    <section className="panel stack" aria-label={t('history.latest', { n: recent.length })}>
      <dl className="latest">
        <dt>{t('history.lastSucceeded')}</dt>
        <dd>{lastSucceeded ? <Run run={lastSucceeded} /> : <span className="secondary">{t('history.never')}</span>}</dd>
        <dt>{t('history.lastFailed')}</dt>
        <dd>{lastFailed ? <Run run={lastFailed} /> : <span className="secondary">{t('history.never')}</span>}</dd>
        <dt>{t('history.running')}</dt>
        <dd>
          {running.length === 0 && <span className="secondary">{t('history.none')}</span>}
          {running.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </dd>
      </dl>
      {recent.length > 0 && (
        <div className="row">
          <span className="secondary">{t('history.latest', { n: recent.length })}</span>
          <OutcomeStrip outcomes={recent} />
        </div>
      )}
    </section>
  );
}

function Run({ run: { id, state, at, startedAt, runMs } }: { run: JobRun }) {
  const t = useT();
  return (
    <span className="row">
      <StateTag state={state} />
      <ShortId id={id} to="/tasks/$taskId" />
      <Instant at={startedAt ?? at} />
      {runMs !== null && <span className="secondary">{t('history.took', { time: durationText(runMs, t) })}</span>}
      {runMs === null && startedAt && <RunTime startedAt={Date.parse(startedAt)} endedAt={null} />}
    </span>
  );
}

/** Of those that started: one that never did has neither time. */
function Times({ recent }: { recent: readonly JobRun[] }) {
  const t = useT();
  const started = useMemo(
    () =>
      recent
        .flatMap(({ startedAt, ...run }) => (startedAt === null ? [] : [{ ...run, begunAt: Date.parse(startedAt) }]))
        .sort((a, b) => a.begunAt - b.begunAt),
    [recent],
  );
  // One point is no course.
  if (started.length < 2) return null;
  return (
    <Chart
      title={t('history.times', { n: started.length })}
      at={started.map(({ begunAt }) => begunAt)}
      format={(ms) => durationText(ms, t)}
      series={[
        { label: t('history.runTime'), color: 'var(--state-running)', values: started.map(({ runMs }) => runMs) },
        { label: t('history.startDelay'), color: 'var(--state-late)', values: started.map(({ startDelayMs }) => startDelayMs) },
      ]}
    />
  );
}
