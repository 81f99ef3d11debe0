import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { useState } from 'react';
import type { AppList, AppView, KeyList, KeyView } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { useMay } from '../../api/session';
import { CopyButton } from '../../components/copy-button';
import { type Column, DataTable } from '../../components/data-table';
import { EditButton } from '../../components/edit-button';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { WrittenText } from '../../components/written-text';
import { actorText } from '../../lib/actor-text';
import { useT } from '../../lib/i18n';
import { AppDialog } from './app-dialog';
import { CallbackHosts } from './callback-hosts';
import { CallbackHostsDialog } from './callback-hosts-dialog';
import { CreateKeyDialog } from './create-key-dialog';
import { KeyState } from './key-state';
import { Expiry, LastUsed, RequestsOfDay } from './key-usage';
import './tester.css';

/** Partners, and the key pairs of partners and workers. A secret is seen once, when its key is made. */
export function KeysPage() {
  const t = useT();
  const may = useMay('keys.manage');
  const [creating, setCreating] = useState(false);
  const [app, setApp] = useState<AppView | 'new' | null>(null);
  const [callbacksOf, setCallbacksOf] = useState<AppView | null>(null);
  const keys = useQuery({
    queryKey: ['keys', 'list'],
    queryFn: ({ signal }) => api.get<KeyList>('keys', undefined, signal),
    refetchInterval: useLookAgain(10_000),
  });
  const apps = useQuery({
    queryKey: ['keys', 'apps'],
    queryFn: ({ signal }) => api.get<AppList>('apps', undefined, signal),
  });
  const keyColumns: Column<KeyView>[] = [
    {
      key: 'key',
      title: t('keys.key'),
      cell: ({ accessKey }) => (
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <Link className="mono" to="/keys/$accessKey" params={{ accessKey }}>
            {accessKey}
          </Link>
          <CopyButton text={accessKey} what={accessKey} />
        </span>
      ),
    },
    { key: 'label', title: t('keys.label'), cell: ({ label }) => <WrittenText text={label} /> },
    { key: 'kind', title: t('keys.kind'), cell: ({ kind }) => <span className="key-line">{t(`keys.kind.${kind}`)}</span> },
    { key: 'owner', title: t('keys.owner'), cell: ({ app: owner, groups }) => <bdi>{owner?.name ?? groups.join(', ')}</bdi> },
    { key: 'state', title: t('task.state'), cell: (key) => <KeyState apiKey={key} /> },
    { key: 'last4', optional: true, title: t('keys.last4'), cell: ({ last4 }) => <span className="mono">…{last4}</span> },
    { key: 'used', title: t('keys.lastUsed'), cell: (key) => <LastUsed apiKey={key} /> },
    { key: 'day', title: t('keys.day'), numeric: true, cell: (key) => <RequestsOfDay {...key} /> },
    { key: 'expires', title: t('keys.expires'), cell: (key) => <Expiry apiKey={key} /> },
    { key: 'scopes', title: t('keys.scopes'), cell: (key) => <Scopes {...key} /> },
    { key: 'ip', optional: true, title: t('keys.ipAllow'), cell: ({ ipAllow }) => ipAllow?.join(', ') ?? t('keys.anyAddress') },
    {
      key: 'hosts',
      optional: true,
      title: t('keys.hosts'),
      cell: ({ app: owner, callbackHosts }) => (owner ? <CallbackHosts hosts={callbackHosts} /> : '–'),
    },
    {
      key: 'limits',
      optional: true,
      title: t('keys.limits'),
      cell: ({ app: owner }) => {
        const limits = apps.data?.items.find(({ id }) => id === owner?.id)?.limits;
        if (!limits) return '–';
        const { requestsPerSecond: requests, tasksPerSecond: tasks } = limits;
        return <span className="key-line">{t('keys.limitsText', { requests, tasks })}</span>;
      },
    },
    {
      key: 'by',
      optional: true,
      title: t('keys.createdBy'),
      cell: ({ createdBy: by }) => (by ? <bdi title={by}>{actorText(by, t)}</bdi> : '–'),
    },
  ];
  const appColumns: Column<AppView>[] = [
    { key: 'name', title: t('keys.app'), cell: ({ name, id }) => <bdi title={id}>{name}</bdi> },
    { key: 'id', title: t('keys.appId'), cell: ({ id }) => <code>{id}</code> },
    { key: 'groups', title: t('workers.groups'), cell: ({ groups }) => <bdi>{groups.join(', ')}</bdi> },
    {
      key: 'limits',
      title: t('keys.limits'),
      cell: ({ limits }) => t('keys.limitsText', { requests: limits.requestsPerSecond, tasks: limits.tasksPerSecond }),
    },
    {
      key: 'keys',
      title: t('keys.activeKeys'),
      numeric: true,
      cell: ({ activeKeys }) => activeKeys,
    },
    { key: 'used', title: t('keys.lastUsed'), cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} /> },
    {
      key: 'hosts',
      title: t('keys.hosts'),
      cell: ({ callbackHosts }) => <CallbackHosts hosts={callbackHosts} />,
    },
    {
      key: 'rejected',
      title: t('rejected.title'),
      cell: ({ id, name }) => (
        <Link to="/keys/rejected" search={{ app: id } as never} aria-label={`${t('rejected.show')} ${name}`}>
          {t('rejected.show')}
        </Link>
      ),
    },
    {
      key: 'edit',
      title: t('users.actions'),
      cell: (row) => (
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <EditButton object={row.name} permission="keys.manage" onClick={() => setApp(row)} />
          <EditButton
            label={t('keys.callbacks')}
            object={row.name}
            permission="keys.manage"
            onClick={() => setCallbacksOf(row)}
          />
        </span>
      ),
    },
  ];
  return (
    <Page
      title={t('nav.keys')}
      actions={
        <>
          <Link to="/keys/rejected">{t('rejected.title')}</Link>
          <Link to="/keys/tester">{t('keys.tester')}</Link>
          {may && <Button onClick={() => setApp('new')}>{t('keys.newApp')}</Button>}
          {may && (
            <Button type="primary" onClick={() => setCreating(true)}>
              {t('keys.create')}
            </Button>
          )}
        </>
      }
    >
      {keys.error && <ErrorPanel error={keys.error} onRetry={() => void keys.refetch()} />}
      <DataTable
        name="keys"
        label={t('nav.keys')}
        columns={keyColumns}
        rows={keys.data?.items ?? (keys.error ? null : undefined)}
        rowId={({ accessKey }) => accessKey}
        empty={keys.error ? null : <Empty text={t('keys.none')} />}
      />
      <h2>{t('keys.apps')}</h2>
      {apps.error && <ErrorPanel error={apps.error} onRetry={() => void apps.refetch()} />}
      <DataTable
        label={t('keys.apps')}
        columns={appColumns}
        rows={apps.data?.items ?? (apps.error ? null : undefined)}
        rowId={({ id }) => id}
        empty={apps.error ? null : <Empty text={t('keys.noApps')} />}
      />
      {creating && <CreateKeyDialog apps={apps.data?.items ?? []} close={() => setCreating(false)} />}
      {callbacksOf && <CallbackHostsDialog app={callbacksOf} close={() => setCallbacksOf(null)} />}
      {app && <AppDialog app={app === 'new' ? null : app} close={() => setApp(null)} />}
    </Page>
  );
}

const ALL_SCOPES = 6;

/** A key that may do everything is worth a second look. */
function Scopes({ kind, scopes }: Pick<KeyView, 'kind' | 'scopes'>) {
  const t = useT();
  if (kind === 'worker') return <span className="secondary">–</span>;
  if (scopes.length >= ALL_SCOPES) return <span className="state-late">{t('keys.allScopes')}</span>;
  return <code>{scopes.join(', ')}</code>;
}
