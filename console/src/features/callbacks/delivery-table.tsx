import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { type ReactNode, useReducer } from 'react';
import type { ConsoleDeliveries, ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { api, type Query } from '../../api/client';
import { DataTable, type DataTableProps } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { useSteadyPage } from '../../components/steady-page';
import { useT } from '../../lib/i18n';
import { useDeliveryColumns } from './delivery-columns';

interface DeliveryTableProps
  extends Pick<DataTableProps<ConsoleDelivery>, 'name' | 'label' | 'keys' | 'tools' | 'empty' | 'sorting'> {
  query: Query;
  /** Changes with what is looked at: everything is shown at once then. */
  view: string;
  /** Rows shown at most; `query` asks for more, so that they stay that many while new ones come. */
  size: number;
  /** Keys of columns that say nothing here; the same set at each drawing. */
  without?: ReadonlySet<string>;
  /** What leads to older ones: `next` is their cursor, null if there are none. */
  pager?: (next: string | null) => ReactNode;
}

/** Deliveries, newest first. Rows keep their places while they change; what is new is counted until somebody asks for it. */
export function DeliveryTable({ query, view, size, without, pager, ...table }: DeliveryTableProps) {
  const t = useT();
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const columns = useDeliveryColumns(without);
  const list = useQuery({
    queryKey: ['callbacks', 'deliveries', query],
    queryFn: ({ signal }) => api.get<ConsoleDeliveries>('callbacks/deliveries', query, signal),
    placeholderData: keepPreviousData,
  });
  const oldestFirst = query.sort === 'created';
  const steady = useSteadyPage(list.data?.items, list.isPlaceholderData ? null : view, size);
  // What comes joins the end of a list that begins with the oldest, where it moves nothing.
  const { rows, fresh, show } = oldestFirst ? { ...steady, rows: list.data?.items.slice(0, size), fresh: 0 } : steady;
  const last = rows?.at(-1)?.id;
  const isBeyond = ({ id }: ConsoleDelivery) => last !== undefined && (oldestFirst ? id > last : id < last);
  const more = list.data && (list.data.nextCursor !== null || list.data.items.some(isBeyond));
  return (
    <>
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
        {...table}
        columns={columns}
        rows={list.error && !list.data ? null : rows}
        rowId={({ id }) => id}
        empty={list.error && !list.data ? null : table.empty}
        edge={({ state, lastFailure }) => (state === 'EXHAUSTED' ? 'failed' : lastFailure === 'blocked' ? 'late' : undefined)}
        busy={list.isPlaceholderData}
      />
      {pager?.(more && last !== undefined ? last : null)}
    </>
  );
}
