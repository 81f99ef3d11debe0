import { Descriptions } from 'antd';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { WrittenText } from '../../components/written-text';
import { marksShown } from '../../lib/direction-marks';
import { type Translate, useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { durationText } from '../../lib/times';
import { RetryPicture } from './retry-picture';
import { scheduleFacts } from './schedule-facts';
import './jobs.css';

/** `narrow`: one below the other, where there is no room for more. */
export function JobConfig({ job, narrow = false }: { job: JobDetail; narrow?: boolean }) {
  const t = useT();
  const code = useCodeText();
  const whole = narrow ? 1 : 3;
  return (
    <Descriptions
      bordered
      size="small"
      column={narrow ? 1 : { xs: 1, sm: 2, lg: 3 }}
      items={[
        { key: 'schedule', label: t('jobs.schedule'), span: whole, children: <ScheduleFacts job={job} /> },
        {
          key: 'retry',
          label: t('jobs.retry'),
          span: whole,
          children: job.retry ? <RetryPicture policy={job.retry} /> : t('jobs.inherited'),
        },
        { key: 'handler', label: t('jobs.handler'), children: <bdi className="mono">{job.handler}</bdi> },
        { key: 'group', label: t('task.group'), children: <bdi>{job.group}</bdi> },
        { key: 'zone', label: t('jobs.zone'), children: job.timeZone },
        { key: 'overlap', label: t('jobs.overlap'), children: code('overlap', job.overlap) },
        { key: 'parallel', label: t('jobs.maxParallel'), children: job.maxParallel },
        {
          key: 'misfire',
          label: t('jobs.misfire'),
          children: t('jobs.misfireWithin', { rule: code('misfire', job.misfire), window: durationText(job.misfireWindowMs, t) }),
        },
        { key: 'priority', label: t('task.priority'), children: job.priority },
        {
          key: 'timeout',
          label: t('task.timeout'),
          children: job.timeoutMs === 0 ? t('task.noTimeout') : durationText(job.timeoutMs, t),
        },
        {
          key: 'routing',
          label: t('groups.routing'),
          children: job.routing ? code('routing', job.routing) : t('jobs.inherited'),
        },
        { key: 'repeatable', label: t('jobs.repeatable'), children: t(job.repeatable ? 'jobs.yes' : 'jobs.no') },
        ...placeOf(job, t, code),
        { key: 'owner', label: t('jobs.owner'), children: <WrittenText text={job.owner ?? '–'} /> },
        { key: 'tags', label: t('workers.tags'), children: <WrittenText text={job.tags.join(', ') || '–'} /> },
        { key: 'version', label: t('jobs.version'), span: narrow ? 1 : ('filled' as const), children: job.version },
        {
          key: 'description',
          label: t('jobs.description'),
          span: whole,
          children: <bdi style={{ whiteSpace: 'pre-wrap' }}>{marksShown(job.description ?? '–')}</bdi>,
        },
      ]}
    />
  );
}

/** The sentence, and beside it what it was made of. */
function ScheduleFacts({ job: { schedule, timeZone } }: { job: JobDetail }) {
  const t = useT();
  const { language } = usePreferences();
  const parts = scheduleFacts(schedule, timeZone, t);
  return (
    <>
      {scheduleText(schedule, timeZone, t, language)}{' '}
      {schedule.kind === 'cron' && <code className="one-line">{schedule.expression}</code>}
      {parts.length > 0 && <div className="secondary">{parts.join(' · ')}</div>}
    </>
  );
}

/** In how many parts and where it runs, and who is told; only what the job says. */
function placeOf(job: JobDetail, t: Translate, code: (prefix: string, code: string) => string) {
  const all: [key: string, label: string, value: string | null][] = [
    ['shards', t('jobs.shards'), job.shards === 'broadcast' ? t('jobs.shards.broadcast') : job.shards && String(job.shards)],
    ['onShardFailure', t('jobs.onShardFailure'), job.shards === null ? null : code('onShardFailure', job.onShardFailure)],
    ['workerTags', t('jobs.workerTags'), job.workerTags.join(', ') || null],
    ['workerZone', t('jobs.workerZone'), job.workerZone],
    ['callbackUrl', 'callbackUrl', job.callbackUrl],
  ].map(([key, label, value]) => [key, label, value || null]) as [string, string, string | null][];
  return all.flatMap(([key, label, value]) => (value === null ? [] : [{ key, label, children: <bdi>{value}</bdi> }]));
}
