import { useNavigate, useSearch } from '@tanstack/react-router';
import { CursorPager } from '../../components/cursor-pager';
import { Empty } from '../../components/empty';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { DeliveryTable } from './delivery-table';
import { PAGE_SIZE } from './search';
import './callbacks.css';

const REDUNDANT: ReadonlySet<string> = new Set(['app']);

/** Who was told how the job's latest tasks ended. */
export function JobCallbacks({ jobId }: { jobId: string }) {
  const t = useT();
  const navigate = useNavigate();
  const after = one(useSearch({ strict: false }), 'after');
  return (
    <div className="stack">
      <DeliveryTable
        label={t('callbacks.ofJob')}
        query={{ job: jobId, cursor: after, limit: 2 * PAGE_SIZE }}
        view={`${jobId} ${after ?? ''}`}
        size={PAGE_SIZE}
        without={REDUNDANT}
        empty={<Empty text={t('callbacks.noneOfJob')} />}
        pager={(older) => (
          <CursorPager
            cursor={after}
            next={older}
            onGo={(next) => void navigate({ to: '.', search: { tab: 'callbacks', after: next } as never })}
          />
        )}
      />
    </div>
  );
}
