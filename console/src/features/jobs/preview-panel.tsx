import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SchedulePreview } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { ErrorPanel } from '../../components/error-panel';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { scheduleText } from '../../lib/schedule-text';
import { FireList } from './fire-list';
import { type JobForm, scheduleOf } from './job-form';
import { retryPolicyOf } from './retry-fields';
import { RetryPicture } from './retry-picture';

/** What the schedule being edited will do, by the server's own engine; asked 300 ms after the last change, older questions dropped. */
export function PreviewPanel({
  form,
  jobId,
  onPreview,
  onSpread,
}: {
  form: JobForm;
  /** Absent: it is not there yet. */
  jobId: string | undefined;
  onPreview: (preview: SchedulePreview | undefined) => void;
  /** Absent: whoever looks may not change it. */
  onSpread: (() => void) | undefined;
}) {
  const t = useT();
  const { language } = usePreferences();
  const text = JSON.stringify({ schedule: scheduleOf(form), timeZone: form.timeZone, count: 10, job: jobId });
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    queryKey: ['schedule-preview', asked],
    queryFn: async () => (await api.post<SchedulePreview>('jobs/preview', JSON.parse(asked))).body,
    retry: false,
  });
  const preview = query.data;
  const sentence = scheduleText(preview?.schedule ?? scheduleOf(form), form.timeZone, t, language);
  const retry = retryPolicyOf(form);
  useEffect(() => onPreview(preview), [preview, onPreview]);
  return (
    <aside className="panel stack preview-panel" aria-label={t('jobs.preview')} aria-live="polite">
      <h2>{t('jobs.preview')}</h2>
      {sentence !== '' && (
        <strong>
          <WrittenText text={sentence} />
        </strong>
      )}
      {query.error ? <ErrorPanel error={query.error} /> : preview && <FireList preview={preview} onSpread={onSpread} />}
      {retry && (
        <>
          <h2>{t('jobs.retry')}</h2>
          <RetryPicture policy={retry} />
        </>
      )}
    </aside>
  );
}
