import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'antd';
import { useMemo } from 'react';
import type { ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { queryText, segment } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { Empty } from '../../components/empty';
import { useListKeys } from '../../components/list-keys';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { wider } from '../../lib/since';
import { DeliveryFilters } from './delivery-filters';
import { DeliveryPeek } from './delivery-peek';
import { DeliveryTable } from './delivery-table';
import {
  DELIVERY_RULES,
  type DeliverySearch,
  deliveryQuery,
  deliverySearch,
  PAGE_SIZE,
  SORTED_COLUMNS,
  windowOf,
} from './search';

/** Everything one chose is in the URL. */
export function DeliveriesList() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => deliverySearch(raw), [raw]);
  const { strays, blocked } = useStrays(DELIVERY_RULES);
  const navigate = useNavigate();
  const go = (change: Partial<DeliverySearch>) => {
    const stated = { ...raw, after: undefined, ...change };
    const since = blocked ? {} : { since: deliverySearch(stated).since };
    void navigate({ to: '/callbacks', search: { ...stated, ...since } as never });
  };
  const { keys, peeked, close, asked } = useListKeys<ConsoleDelivery>({
    rowId: ({ id }) => id,
    pageOf: ({ id }) => `/callbacks/deliveries/${segment(id)}`,
    traceOf: ({ taskId }) => (taskId === null ? null : { to: `/tasks/${segment(taskId)}` }),
    traceLabel: t('callbacks.task'),
  });
  const query = deliveryQuery(search);
  const { cursor: _, limit: __, ...filters } = query;
  const window = windowOf(search);
  const next = wider(window);
  return (
    <div className="stack">
      <DeliveryFilters search={search} onChange={go} />
      <StrayFilters strays={strays} />
      {!blocked && (
        <DeliveryTable
          name="deliveries"
          label={t('callbacks.deliveries')}
          query={query}
          view={JSON.stringify(search)}
          size={PAGE_SIZE}
          keys={keys}
          sorting={{ by: search.sort, change: (by) => go({ sort: by as DeliverySearch['sort'] }), columns: SORTED_COLUMNS }}
          tools={<ExportButton address={withBase(`api/callbacks/deliveries/export${queryText(filters)}`)} />}
          empty={
            <Empty
              text={window === 'all' ? t('callbacks.noneAtAll') : t('callbacks.noDeliveries', { window: t(`within.${window}`) })}
              actions={
                <>
                  {next && (
                    <Button onClick={() => go({ since: next })}>{t('tasks.widen', { window: t(`within.${next}`) })}</Button>
                  )}
                  <Button onClick={() => void navigate({ to: '/callbacks', search: {} as never })}>{t('tasks.reset')}</Button>
                </>
              }
            />
          }
          pager={(older) => <CursorPager cursor={search.after} next={older} onGo={(after) => go({ after })} sort={search.sort} />}
        />
      )}
      {peeked && <DeliveryPeek id={peeked} close={close} />}
      {asked}
    </div>
  );
}
