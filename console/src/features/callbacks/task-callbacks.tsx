import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConsoleDeliveries, ConsoleDelivery } from '../../../../src/admin/contract/callbacks.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { DataTable } from '../../components/data-table';
import { useT } from '../../lib/i18n';
import { useDeliveryColumns } from './delivery-columns';
import './callbacks.css';

const REDUNDANT = new Set(['task', 'app']);
const SHOWN = 20;

/** Who was told that the task ended. Nothing for who may not see deliveries, and while there are none. */
export function TaskCallbacks({ taskId }: { taskId: string }) {
  const t = useT();
  const may = useMay('keys.view');
  const columns = useDeliveryColumns(REDUNDANT);
  const { data } = useQuery({
    queryKey: ['callbacks', 'task', taskId],
    queryFn: ({ signal }) => api.get<ConsoleDeliveries>('callbacks/deliveries', { task: taskId, limit: SHOWN }, signal),
    enabled: may,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <section className="stack" aria-label={t('callbacks.ofTask')} style={{ marginTop: 12 }}>
      <div className="spread">
        <h2>{t('callbacks.ofTask')}</h2>
        <Link to="/callbacks" search={{ task: taskId } as never}>
          {t('callbacks.deliveries')}
        </Link>
      </div>
      <DataTable<ConsoleDelivery>
        label={t('callbacks.ofTask')}
        columns={columns}
        rows={data.items}
        rowId={({ id }) => id}
        edge={({ state }) => (state === 'EXHAUSTED' ? 'failed' : undefined)}
        empty={null}
      />
    </section>
  );
}
