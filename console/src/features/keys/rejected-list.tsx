import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RejectedRequest, RejectedRequests } from '../../../../src/admin/contract/keys.js';
import { api, type Query } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { rejectionText } from './rejection-words';

/** Requests that were refused at the door, each with a way to the tester. `query` null: those with keys that do not exist. */
export function RejectedList({ query, withKey = false }: { query: Query | null; withKey?: boolean }) {
  const t = useT();
  const code = useCodeText();
  const { language } = usePreferences();
  const path = query === null ? 'rejected-requests/unknown' : 'rejected-requests';
  const list = useQuery({
    queryKey: ['keys', 'rejected', query],
    queryFn: ({ signal }) => api.get<RejectedRequests>(path, query ?? { limit: 200 }, signal),
    // Written down within a second of the answer.
    refetchInterval: useLookAgain(),
  });
  const columns: Column<RejectedRequest>[] = [
    { key: 'at', title: t('rejected.at'), cell: ({ at }) => <Instant at={at} /> },
    {
      key: 'code',
      title: t('rejected.why'),
      cell: ({ code: why, more }) => (
        <span>
          <span className="state-tag state-failed">
            <StateIcon family="failed" />
            {code('rejection', why)}
          </span>
          {more > 0 && <span className="secondary"> {t('rejected.more', { n: more })}</span>}
        </span>
      ),
    },
    {
      key: 'detail',
      title: t('rejected.detail'),
      cell: (rejected) => <bdi title={rejected.detail}>{rejectionText(rejected, language)}</bdi>,
    },
    { key: 'method', title: t('tester.method'), cell: ({ method }) => <code>{method}</code> },
    {
      key: 'target',
      title: t('rejected.target'),
      cell: ({ target }) => (
        <bdi className="mono rejected-target" title={target}>
          {target}
        </bdi>
      ),
    },
    { key: 'address', title: t('rejected.address'), cell: ({ address }) => <span className="mono">{address}</span> },
    { key: 'node', title: t('rejected.node'), cell: ({ node }) => <span className="mono key-line">{node}</span> },
    {
      key: 'load',
      title: t('users.actions'),
      cell: ({ id, at }) => (
        <Link
          className="one-line"
          to="/keys/tester"
          search={{ rejected: id } as never}
          aria-label={`${t('rejected.load')} – ${at} ${id.slice(-6)}`}
        >
          {t('rejected.load')}
        </Link>
      ),
    },
  ];
  if (withKey)
    columns.splice(1, 0, {
      key: 'key',
      title: t('keys.key'),
      cell: ({ accessKey, known }) =>
        known ? (
          <Link className="mono" to="/keys/$accessKey" params={{ accessKey }}>
            {accessKey}
          </Link>
        ) : (
          <span className="mono">{accessKey || '–'}</span>
        ),
    });
  return (
    <>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<RejectedRequest>
        name="rejected"
        label={t('rejected.title')}
        columns={columns}
        rows={list.error && !list.data ? [] : list.data?.items}
        rowId={({ id }) => id}
        empty={<Empty text={t('rejected.none')} />}
      />
    </>
  );
}
