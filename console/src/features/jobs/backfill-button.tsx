import { useQuery } from '@tanstack/react-query';
import { Input, InputNumber } from 'antd';
import { useId, useState } from 'react';
import type { BackfillAnswer, JobDetail, StartBackfill } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { isoInZone } from '../../lib/times';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SHOWN = 5;

/** Tasks for fires of the past: which ones is told before any is made. Times are written in the job's zone. */
export function BackfillButton({ job, onDone }: { job: JobDetail; onDone: () => void }) {
  const t = useT();
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const [span, setSpan] = useState(() => ({
    from: isoInZone(hour - DAY_MS, job.timeZone),
    until: isoInZone(hour, job.timeZone),
    maxParallel: 1,
  }));
  const path = `jobs/${segment(job.id)}/backfill`;
  return (
    <ActionButton
      label={t('backfill.start')}
      permission="jobs.run"
      group={job.group}
      object={job.key}
      confirm="dialog"
      preview={<BackfillForm path={path} span={span} onChange={setSpan} />}
      run={(reason) => api.post(path, { ...span, reason } satisfies StartBackfill)}
      done={t('backfill.started')}
      onDone={onDone}
    />
  );
}

type Span = Required<Pick<StartBackfill, 'from' | 'until' | 'maxParallel'>>;

function BackfillForm({ path, span, onChange }: { path: string; span: Span; onChange: (span: Span) => void }) {
  const t = useT();
  const parallelId = useId();
  const ids = { from: useId(), until: useId() };
  const { from, until } = span;
  const query = useQuery({
    queryKey: ['backfill-preview', path, from, until],
    queryFn: async () => (await api.post<BackfillAnswer>(path, { from, until, dryRun: true })).body,
    retry: false,
  });
  return (
    <div className="stack" style={{ gap: 4 }}>
      <span>{t('backfill.explain')}</span>
      {(['from', 'until'] as const).map((name) => (
        <div key={name} className="stack" style={{ gap: 4 }}>
          <label htmlFor={ids[name]}>{t(`backfill.${name}`)}</label>
          <Input
            id={ids[name]}
            className="mono"
            value={span[name]}
            onChange={({ target }) => onChange({ ...span, [name]: target.value.trim() })}
          />
        </div>
      ))}
      <label htmlFor={parallelId}>{t('backfill.maxParallel')}</label>
      <InputNumber
        id={parallelId}
        min={1}
        max={1_000}
        precision={0}
        value={span.maxParallel}
        onChange={(value) => onChange({ ...span, maxParallel: value ?? 1 })}
      />
      <div role="status" className="panel">
        {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && <Fires {...query.data} />}
      </div>
    </div>
  );
}

function Fires({ count, fires }: BackfillAnswer) {
  const t = useT();
  const shown = fires.length <= 2 * SHOWN ? fires : [...fires.slice(0, SHOWN), ...fires.slice(-SHOWN)];
  return (
    <>
      <strong>{t('backfill.count', { n: count })}</strong>
      <ul className="plain-list">
        {shown.map((at, i) => (
          <li key={at}>
            {i === SHOWN && shown.length < fires.length && <span className="secondary">… </span>}
            <Instant at={at} />
          </li>
        ))}
      </ul>
    </>
  );
}
