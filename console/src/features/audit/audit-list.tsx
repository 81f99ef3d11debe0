import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AuditList as AuditAnswer, AuditEntry } from '../../../../src/admin/contract/audit.js';
import { api, queryText } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { useListKeys } from '../../components/list-keys';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { objectPath } from '../../lib/object-paths';
import { useAuditColumns } from './audit-columns';
import { AuditPeek } from './audit-peek';
import { type AuditSearch, auditQuery, SORTED_COLUMNS } from './search';

/** Entries that a filter finds, newest first; one of them at a glance. */
export function AuditList({
  search,
  onGo,
  onSort,
  without,
}: {
  search: AuditSearch;
  onGo: (after: string | undefined) => void;
  onSort: (sort: AuditSearch['sort']) => void;
  /** Keys of columns that say nothing here; the same set at each drawing. */
  without?: ReadonlySet<string>;
}) {
  const t = useT();
  const query = auditQuery(search);
  const list = useQuery({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => api.get<AuditAnswer>('audit', query, signal),
    placeholderData: keepPreviousData,
  });
  const { keys, peeked, close, asked } = useListKeys<AuditEntry>({
    rowId: ({ id }) => id,
    pageOf: ({ object }) => objectPath(object.type, object.id),
  });
  const glanced = list.data?.items.find(({ id }) => id === peeked);
  const { cursor: _, ...filters } = query;
  return (
    <>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<AuditEntry>
        name="audit"
        label={t('nav.audit')}
        columns={useAuditColumns(without)}
        rows={list.error && !list.data ? null : list.data?.items}
        rowId={({ id }) => id}
        edge={({ action }) => (action === 'session.refused' || action === 'ssrf.blocked' ? 'late' : undefined)}
        busy={list.isPlaceholderData}
        keys={keys}
        sorting={{ by: search.sort, change: (by) => onSort(by as AuditSearch['sort']), columns: SORTED_COLUMNS }}
        tools={<ExportButton address={withBase(`api/audit/export${queryText(filters)}`)} />}
        lead={<span className="secondary">{t('audit.neverChanged')}</span>}
        empty={<Empty text={t('audit.empty')} />}
      />
      {glanced && <AuditPeek entry={glanced} close={close} />}
      {asked}
      <CursorPager cursor={search.after} next={list.data?.nextCursor} onGo={onGo} sort={search.sort} />
    </>
  );
}
