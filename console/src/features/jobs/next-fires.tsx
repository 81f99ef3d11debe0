import { useQuery } from '@tanstack/react-query';
import type { SchedulePreview } from '../../../../src/admin/contract/jobs.js';
import { api, segment } from '../../api/client';
import { ErrorPanel } from '../../components/error-panel';
import { useT } from '../../lib/i18n';
import { FireList } from './fire-list';
import './jobs.css';

/** The next fires of a saved job, by the function that fires it. */
export function NextFires({ jobId, version }: { jobId: string; version: number }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['jobs', 'fires', jobId, version],
    queryFn: ({ signal }) => api.get<SchedulePreview>(`jobs/${segment(jobId)}/next-fires`, { n: 10 }, signal),
  });
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return null;
  return (
    <section className="schedule-fires" aria-label={t('jobs.fires')}>
      <FireList preview={query.data} />
    </section>
  );
}
