import { Descriptions } from 'antd';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { useCodeText, useT } from '../../lib/i18n';
import { durationText } from '../../lib/times';

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
        { key: 'handler', label: t('jobs.handler'), children: <bdi className="mono">{job.handler}</bdi> },
        { key: 'group', label: t('task.group'), children: <bdi>{job.group}</bdi> },
        { key: 'zone', label: t('jobs.zone'), children: job.timeZone },
        { key: 'schedule', label: t('jobs.schedule'), span: whole, children: <code>{JSON.stringify(job.schedule)}</code> },
        { key: 'overlap', label: t('jobs.overlap'), children: code('overlap', job.overlap) },
        { key: 'parallel', label: t('jobs.maxParallel'), children: job.maxParallel },
        {
          key: 'misfire',
          label: t('jobs.misfire'),
          children: `${code('misfire', job.misfire)} · ${durationText(job.misfireWindowMs)}`,
        },
        { key: 'priority', label: t('task.priority'), children: job.priority },
        {
          key: 'timeout',
          label: t('task.timeout'),
          children: job.timeoutMs === 0 ? t('task.noTimeout') : durationText(job.timeoutMs),
        },
        {
          key: 'retry',
          label: t('jobs.retry'),
          children: <code>{job.retry ? JSON.stringify(job.retry) : t('jobs.defaultRetry')}</code>,
        },
        {
          key: 'routing',
          label: t('groups.routing'),
          children: job.routing ? code('routing', job.routing) : t('groups.routingDefault'),
        },
        { key: 'repeatable', label: t('jobs.repeatable'), children: t(job.repeatable ? 'jobs.yes' : 'jobs.no') },
        { key: 'owner', label: t('jobs.owner'), children: <bdi>{job.owner ?? '–'}</bdi> },
        { key: 'tags', label: t('workers.tags'), children: <bdi>{job.tags.join(', ') || '–'}</bdi> },
        { key: 'version', label: t('jobs.version'), children: job.version },
        {
          key: 'description',
          label: t('settings.description'),
          span: whole,
          children: <bdi style={{ whiteSpace: 'pre-wrap' }}>{job.description ?? '–'}</bdi>,
        },
      ]}
    />
  );
}
