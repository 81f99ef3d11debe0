import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from 'antd';
import { useState } from 'react';
import type { BulkKind } from '../../../../src/admin/contract/bulk.js';
import { BulkDialog } from '../../components/bulk-dialog';
import { useT } from '../../lib/i18n';

/** A request's first line has room for so many ids. */
const MOST_EXPORTED = 100;

/** What can be done with the chosen jobs. */
export function JobSelection({ ids, clear }: { ids: ReadonlySet<string>; clear: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const [kind, setKind] = useState<BulkKind | null>(null);
  if (ids.size === 0) return null;
  return (
    <section className="row panel" aria-label={t('bulk.bar')}>
      <strong>{t('bulk.selected', { n: ids.size })}</strong>
      {(['jobs.pause', 'jobs.resume', 'jobs.run', 'jobs.move', 'jobs.set_owner'] as const).map((each) => (
        <Button key={each} size="small" onClick={() => setKind(each)}>
          {t(`bulk.${each}`)}
        </Button>
      ))}
      {ids.size <= MOST_EXPORTED && (
        <Link to="/transfer" search={{ job: [...ids] } as never}>
          {t('jobs.exportChosen')}
        </Link>
      )}
      <Button size="small" type="link" onClick={clear}>
        {t('bulk.clear')}
      </Button>
      {kind && (
        <BulkDialog
          kind={kind}
          filter={{ ids: [...ids] }}
          close={() => setKind(null)}
          started={(id) => {
            clear();
            void navigate({ to: '/bulk/$bulkId', params: { bulkId: id } });
          }}
        />
      )}
    </section>
  );
}
