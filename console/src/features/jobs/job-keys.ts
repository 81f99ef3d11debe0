import type { JobSummary } from '../../../../src/admin/contract/jobs.js';
import { segment } from '../../api/client';
import { useJobDeeds } from '../../components/job-deeds';
import { useListKeys } from '../../components/list-keys';
import { useT } from '../../lib/i18n';

/** The keys of the job list. */
export function useJobKeys() {
  const t = useT();
  const deeds = useJobDeeds();
  return useListKeys<JobSummary>({
    rowId: ({ id }) => id,
    pageOf: ({ id }) => `/jobs/${segment(id)}`,
    traceOf: ({ id }) => ({ to: '/tasks', search: { job: id, since: 'all' } }),
    traceLabel: t('nav.tasks'),
    again: (job) => deeds(job).run,
    stop: (job) => deeds(job).turn,
  });
}
