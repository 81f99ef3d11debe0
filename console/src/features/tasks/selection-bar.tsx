import { useNavigate } from '@tanstack/react-router';
import { Button } from 'antd';
import { useState } from 'react';
import type { BulkFilter, BulkKind } from '../../../../src/admin/contract/bulk.js';
import type { CappedCount } from '../../../../src/admin/contract/page.js';
import { BulkDialog } from '../../components/bulk-dialog';
import { useT } from '../../lib/i18n';
import { DEFAULT_WINDOW, windowStart } from '../../lib/since';
import type { TaskSearch } from './search';

/** What can be done with the chosen rows, or with everything the filter finds. The server does it, on the filter as it is now. */
export function SelectionBar({
  selected,
  search,
  total,
  clear,
}: {
  selected: ReadonlySet<string>;
  search: TaskSearch;
  total: CappedCount | undefined;
  clear: () => void;
}) {
  const t = useT();
  const navigate = useNavigate();
  const [all, setAll] = useState(false);
  const [kind, setKind] = useState<BulkKind | null>(null);
  if (selected.size === 0) return null;
  const filter: BulkFilter = all ? filterOf(search) : { ids: [...selected] };
  return (
    <section className="row panel" aria-label={t('bulk.bar')}>
      <strong>{t('bulk.selected', { n: selected.size })}</strong>
      {total && (
        <Button size="small" type={all ? 'primary' : 'default'} onClick={() => setAll(!all)}>
          {t('bulk.allMatching', { n: `${total.count}${total.capped ? '+' : ''}` })}
        </Button>
      )}
      <Button size="small" onClick={() => setKind('tasks.retry')}>
        {t('bulk.tasks.retry')}
      </Button>
      <Button size="small" danger onClick={() => setKind('tasks.cancel')}>
        {t('bulk.tasks.cancel')}
      </Button>
      <Button size="small" type="link" onClick={clear}>
        {t('bulk.clear')}
      </Button>
      {kind && (
        <BulkDialog
          kind={kind}
          filter={filter}
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

/** Every filter of the list: a bulk action that left one out would act on more than is listed. */
function filterOf({ since, from, to, after: _, size: __, peek: ___, by: ____, sort: _____, ...filters }: TaskSearch): BulkFilter {
  const { late, ...others } = filters;
  const start = from ?? (to === undefined ? windowStart(since ?? DEFAULT_WINDOW) : undefined);
  return { ...others, ...(late ? { late } : {}), from: start, to };
}
