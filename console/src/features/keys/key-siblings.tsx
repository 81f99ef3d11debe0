import { Link } from '@tanstack/react-router';
import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { KeyState } from './key-state';
import { Expiry, LastUsed, RequestsOfDay } from './key-usage';

/** All keys of the same partner, with who of them is still used: what an overlap is watched by. */
export function KeySiblings({ app, keys }: { app: { id: string; name: string }; keys: readonly KeyView[] | undefined }) {
  const t = useT();
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
    { key: 'label', title: t('keys.label'), cell: ({ label }) => <WrittenText text={label} /> },
    { key: 'state', title: t('task.state'), cell: (key) => <KeyState apiKey={key} /> },
    { key: 'used', title: t('keys.lastUsed'), cell: (key) => <LastUsed apiKey={key} /> },
    { key: 'expires', title: t('keys.expires'), cell: (key) => <Expiry apiKey={key} /> },
    { key: 'day', title: t('keys.day'), numeric: true, cell: (key) => <RequestsOfDay {...key} /> },
    { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <section className="stack" aria-label={t('keys.siblings')}>
      <h2>
        {t('keys.siblings')} · <bdi>{app.name}</bdi>
      </h2>
      <DataTable label={t('keys.siblings')} columns={columns} rows={keys} rowId={({ accessKey }) => accessKey} empty={null} />
    </section>
  );
}
