import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Input } from 'antd';
import type { AuditEntry, AuditList } from '../../../../src/admin/contract/audit.js';
import { api, queryText } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { useListKeys } from '../../components/list-keys';
import { Page } from '../../components/page';
import { sortsOf } from '../../components/sorting';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { objectPath } from '../../lib/object-paths';
import { one, oneOf } from '../../lib/search';
import { useAuditColumns } from './audit-columns';
import { AuditPeek } from './audit-peek';

const FILTERS = ['actor', 'action', 'objectType', 'objectId', 'group', 'bulk', 'from', 'to'] as const;
/** What an index of the server has in order. */
const SORTED_COLUMNS = ['at', 'actor', 'action'] as const;
const SORTS = sortsOf(SORTED_COLUMNS);

/** Who changed what, when and why. Nothing in it is ever changed. */
export function AuditPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, one(raw, name)]));
  const after = one(raw, 'after');
  const sort = oneOf(raw, 'sort', SORTS);
  const list = useQuery({
    queryKey: ['audit', filters, sort, after],
    queryFn: ({ signal }) => api.get<AuditList>('audit', { ...filters, sort, cursor: after }, signal),
    placeholderData: (before) => before,
  });
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: '/audit', search: { ...filters, sort, ...change } as never });
  const { keys, peeked, close, asked } = useListKeys<AuditEntry>({
    rowId: ({ id }) => id,
    pageOf: ({ object }) => objectPath(object.type, object.id),
  });
  const glanced = list.data?.items.find(({ id }) => id === peeked);
  return (
    <Page title={t('nav.audit')}>
      <div className="row" data-filter>
        {FILTERS.map((name) => (
          <Input.Search
            key={`${name} ${filters[name] ?? ''}`}
            allowClear
            style={{ width: 180 }}
            aria-label={t(`audit.filter.${name}`)}
            placeholder={t(`audit.filter.${name}`)}
            defaultValue={filters[name]}
            onSearch={(value) => go({ [name]: value || undefined })}
          />
        ))}
      </div>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<AuditEntry>
        name="audit"
        label={t('nav.audit')}
        columns={useAuditColumns()}
        rows={list.error && !list.data ? [] : list.data?.items}
        rowId={({ id }) => id}
        busy={list.isPlaceholderData}
        keys={keys}
        sorting={{ by: sort, change: (by) => go({ sort: by }), columns: SORTED_COLUMNS }}
        tools={<ExportButton address={withBase(`api/audit/export${queryText({ ...filters, sort })}`)} />}
        empty={<Empty text={t('audit.empty')} />}
      />
      {glanced && <AuditPeek entry={glanced} close={close} />}
      {asked}
      <CursorPager cursor={after} next={list.data?.nextCursor} onGo={(cursor) => go({ after: cursor })} sort={sort} />
    </Page>
  );
}
