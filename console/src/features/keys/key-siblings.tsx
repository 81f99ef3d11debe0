import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { KeyList, KeyView } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { useT } from '../../lib/i18n';
import { KeyState } from './key-state';

/** All keys of the same partner, with who of them is still used: what an overlap is watched by. */
export function KeySiblings({ app }: { app: { id: string; name: string } }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['keys', 'list', app.id],
    queryFn: ({ signal }) => api.get<KeyList>('keys', { app: app.id }, signal),
    refetchInterval: 30_000,
  });
  const columns: Column<KeyView>[] = [
    {
      key: 'key',
      title: t('keys.key'),
      cell: ({ accessKey }) => (
        <Link className="mono" to="/keys/$accessKey" params={{ accessKey }}>
          {accessKey}
        </Link>
      ),
    },
    { key: 'label', title: t('keys.label'), cell: ({ label }) => <bdi>{label}</bdi> },
    { key: 'state', title: t('task.state'), cell: (key) => <KeyState apiKey={key} /> },
    { key: 'used', title: t('keys.lastUsed'), cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} /> },
    { key: 'expires', title: t('keys.expires'), cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
    { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <section className="stack" aria-label={t('keys.siblings')}>
      <h2>
        {t('keys.siblings')} <bdi>{app.name}</bdi>
      </h2>
      <DataTable
        label={t('keys.siblings')}
        columns={columns}
        rows={query.data?.items}
        rowId={({ accessKey }) => accessKey}
        empty={null}
      />
    </section>
  );
}
