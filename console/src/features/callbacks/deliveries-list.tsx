import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'antd';
import { useMemo, useReducer } from 'react';
import type { ConsoleDeliveries, ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { api } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { useSteadyPage } from '../../components/steady-page';
import { useT } from '../../lib/i18n';
import { wider } from '../../lib/since';
import { useDeliveryColumns } from './delivery-columns';
import { DeliveryFilters } from './delivery-filters';
import { type DeliverySearch, deliveryQuery, deliverySearch, PAGE_SIZE, windowOf } from './search';

/** Everything one chose is in the URL; rows keep their places while they change. */
export function DeliveriesList() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => deliverySearch(raw), [raw]);
  const navigate = useNavigate();
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const go = (change: Partial<DeliverySearch>) =>
    void navigate({ to: '/callbacks', search: deliverySearch({ ...search, after: undefined, ...change }) as never });
  const query = deliveryQuery(search);
  const list = useQuery({
    queryKey: ['callbacks', 'deliveries', query],
    queryFn: ({ signal }) => api.get<ConsoleDeliveries>('callbacks/deliveries', query, signal),
    placeholderData: keepPreviousData,
  });
  const columns = useDeliveryColumns();
  const { rows, fresh, show } = useSteadyPage(
    list.data?.items,
    list.isPlaceholderData ? null : JSON.stringify(search),
    PAGE_SIZE,
  );
  const last = rows?.at(-1)?.id;
  const older = list.data && (list.data.nextCursor !== null || list.data.items.some(({ id }) => last !== undefined && id < last));
  const window = windowOf(search);
  const next = wider(window);
  return (
    <div className="stack">
      <DeliveryFilters search={search} onChange={go} />
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {fresh > 0 && (
        <div className="row" role="status">
          <Button
            size="small"
            type="primary"
            ghost
            onClick={() => {
              show();
              redraw();
            }}
          >
            {t('callbacks.fresh', { n: fresh })}
          </Button>
        </div>
      )}
      <DataTable<ConsoleDelivery>
        label={t('callbacks.deliveries')}
        columns={columns}
        rows={list.error && !list.data ? [] : rows}
        rowId={({ id }) => id}
        edge={({ state, lastFailure }) => (state === 'EXHAUSTED' ? 'failed' : lastFailure === 'blocked' ? 'late' : undefined)}
        busy={list.isPlaceholderData}
        empty={
          <Empty
            text={t('callbacks.noDeliveries', { window: t(`window.${window}`) })}
            actions={
              <>
                {next && <Button onClick={() => go({ since: next })}>{t('tasks.widen', { window: t(`window.${next}`) })}</Button>}
                <Button onClick={() => void navigate({ to: '/callbacks', search: {} as never })}>{t('tasks.reset')}</Button>
              </>
            }
          />
        }
      />
      <CursorPager cursor={search.after} next={older ? last : null} onGo={(after) => go({ after })} />
    </div>
  );
}
