import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Progress } from 'antd';
import type { BulkList, BulkView } from '../../../../src/admin/contract/bulk.js';
import { api } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';
import { one } from '../../lib/search';

export const shareDone = ({ done, skipped, failed, expected }: BulkView): number =>
  expected.count === 0 ? 100 : Math.min(100, Math.round(((done + skipped + failed) / expected.count) * 100));

export function BulkListPage() {
  const t = useT();
  const code = useCodeText();
  const after = one(useSearch({ strict: false }), 'after');
  const navigate = useNavigate();
  const list = useQuery({
    queryKey: ['bulk', 'list', after],
    queryFn: ({ signal }) => api.get<BulkList>('bulk', { cursor: after }, signal),
  });
  const columns: Column<BulkView>[] = [
    {
      key: 'kind',
      title: t('bulk.kind'),
      cell: ({ id, kind }) => (
        <Link to="/bulk/$bulkId" params={{ bulkId: id }}>
          {code('bulk', kind)}
        </Link>
      ),
    },
    { key: 'state', title: t('task.state'), cell: ({ state }) => code('bulkState', state) },
    {
      key: 'share',
      title: t('bulk.progress'),
      width: 180,
      cell: (bulk) => <Progress size="small" percent={shareDone(bulk)} aria-label={t('bulk.progress')} />,
    },
    {
      key: 'counts',
      title: t('bulk.counts'),
      cell: ({ done, skipped, failed }) => t('bulk.countsText', { done, skipped, failed }),
    },
    { key: 'by', title: t('audit.actor'), cell: ({ by }) => <bdi>{by}</bdi> },
    { key: 'reason', title: t('audit.reason'), cell: ({ reason }) => <WrittenText text={reason} /> },
    { key: 'at', title: t('task.at'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <Page title={t('nav.bulk')}>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label={t('nav.bulk')}
        columns={columns}
        rows={list.error && !list.data ? null : list.data?.items}
        rowId={({ id }) => id}
        empty={<Empty text={t('bulk.none')} />}
      />
      <CursorPager
        cursor={after}
        next={list.data?.nextCursor}
        onGo={(cursor) => void navigate({ to: '/bulk', search: { after: cursor } as never })}
      />
    </Page>
  );
}
