import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useReducer } from 'react';
import type { ConsoleDeliveries, ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { api } from '../../api/client';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { useSteadyPage } from '../../components/steady-page';
import { useT } from '../../lib/i18n';
import { useDeliveryColumns } from './delivery-columns';

const SHOWN = 10;
const REDUNDANT = new Set(['app', 'to']);

/** The last few of one endpoint. */
export function EndpointRecent({ endpointId }: { endpointId: string }) {
  const t = useT();
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const columns = useDeliveryColumns(REDUNDANT);
  const query = { endpoint: endpointId, limit: 2 * SHOWN };
  const list = useQuery({
    queryKey: ['callbacks', 'deliveries', query],
    queryFn: ({ signal }) => api.get<ConsoleDeliveries>('callbacks/deliveries', query, signal),
  });
  const { rows, fresh, show } = useSteadyPage(list.data?.items, endpointId, SHOWN);
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
        label={t('callbacks.recent')}
        columns={columns}
        rows={list.error && !list.data ? [] : rows}
        rowId={({ id }) => id}
        edge={({ state }) => (state === 'EXHAUSTED' ? 'failed' : undefined)}
        empty={<Empty text={t('callbacks.nothingSent')} />}
      />
    </>
  );
}
