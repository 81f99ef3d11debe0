import { Link } from '@tanstack/react-router';
import type { BulkView } from '../../../../src/admin/contract/bulk.js';
import { useT } from '../../lib/i18n';

/** The list a bulk action was made from, as its filter finds it now; nothing of one that names its objects, or takes the failures of another: its filter says which. */
export function BulkSource({ bulk }: { bulk: BulkView }) {
  const t = useT();
  const { ids, failedOf, frozenAt: _, ...filter } = bulk.filter;
  if (ids !== undefined || failedOf !== undefined) return null;
  return bulk.kind.startsWith('tasks.') ? (
    <Link to="/tasks" search={{ ...filter, since: 'all' } as never}>
      {t('bulk.asTasks')}
    </Link>
  ) : (
    <Link to="/jobs" search={filter as never}>
      {t('bulk.asJobs')}
    </Link>
  );
}
