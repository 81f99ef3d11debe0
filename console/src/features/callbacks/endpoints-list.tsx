import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from 'antd';
import type { ConsoleEndpoint, ConsoleEndpoints } from '../../../../src/admin/contract/callbacks.js';
import type { AppList } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { durationText } from '../../lib/times';
import { DayShare, EndpointTag } from './callback-state';

/** Who listens. Partners make their endpoints themselves; here one sees and steers them. */
export function EndpointsList() {
  const t = useT();
  const navigate = useNavigate();
  const app = one(useSearch({ strict: false }), 'app');
  const apps = useQuery({
    queryKey: ['keys', 'apps'],
    queryFn: ({ signal }) => api.get<AppList>('apps', undefined, signal),
    staleTime: 60_000,
  });
  const list = useQuery({
    queryKey: ['callbacks', 'endpoints', app],
    queryFn: ({ signal }) => api.get<ConsoleEndpoints>('callbacks/endpoints', { app }, signal),
    meta: { dear: true },
    // Its figures are written down some seconds after what they count.
    refetchInterval: useLookAgain(15_000),
  });
  const columns: Column<ConsoleEndpoint>[] = [
    {
      key: 'url',
      title: t('callbacks.url'),
      cell: ({ id, url }) => (
        <Link to="/callbacks/endpoints/$endpointId" params={{ endpointId: id }}>
          <bdi className="mono callback-url" title={url}>
            {url}
          </bdi>
        </Link>
      ),
    },
    { key: 'state', title: t('task.state'), cell: (endpoint) => <EndpointTag endpoint={endpoint} /> },
    { key: 'app', title: t('keys.app'), cell: (row) => <bdi title={row.app?.id}>{row.app?.name ?? '–'}</bdi> },
    { key: 'events', title: t('callbacks.events'), cell: ({ eventTypes }) => <Events types={eventTypes} /> },
    { key: 'success', title: t('callbacks.successDay'), numeric: true, cell: (endpoint) => <DayShare {...endpoint} /> },
    {
      key: 'p95',
      title: t('callbacks.p95'),
      numeric: true,
      cell: ({ lastDay }) => durationText(lastDay?.p95Ms ?? Number.NaN, t),
    },
    { key: 'secret', title: t('callbacks.secret'), cell: (endpoint) => <SecretMark {...endpoint} /> },
    { key: 'failing', title: t('callbacks.failingSince'), cell: ({ failing }) => <Instant at={failing?.since} /> },
    { key: 'since', title: t('callbacks.disabledSince'), cell: ({ disabledAt }) => <Instant at={disabledAt} /> },
    { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <div className="stack">
      <div className="row callback-filters" data-filter>
        <Select
          allowClear
          showSearch={{ optionFilterProp: 'label' }}
          aria-label={t('keys.app')}
          placeholder={t('keys.app')}
          value={app}
          options={apps.data?.items.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value: string | undefined) =>
            void navigate({ to: '/callbacks', search: { tab: 'endpoints', app: value } as never })
          }
        />
      </div>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<ConsoleEndpoint>
        name="endpoints"
        label={t('callbacks.endpoints')}
        columns={columns}
        rows={list.error && !list.data ? [] : list.data?.items}
        rowId={({ id }) => id}
        edge={({ state, stateReason }) => (state === 'DISABLED' && stateReason !== 'asked' ? 'failed' : undefined)}
        keys={{ open: ({ id }) => void navigate({ to: '/callbacks/endpoints/$endpointId', params: { endpointId: id } }) }}
        empty={list.error && !list.data ? null : <Empty text={t('callbacks.noEndpoints')} />}
      />
    </div>
  );
}

/** The first of them, and how many more; all of them on hover, and on the page of the endpoint. */
function Events({ types }: { types: readonly string[] }) {
  return (
    <code className="one-line" title={types.join('\n')}>
      {types[0]}
      {types.length > 1 ? ` +${types.length - 1}` : ''}
    </code>
  );
}

/** The end of the newest secret, and that an older one signs along. */
export function SecretMark({ last4, secrets }: Pick<ConsoleEndpoint, 'last4' | 'secrets'>) {
  const t = useT();
  return (
    <span className="one-line">
      <span className="mono">…{last4}</span>
      {secrets > 1 && <span className="state-late"> {t('callbacks.secretsNow', { n: secrets })}</span>}
    </span>
  );
}
