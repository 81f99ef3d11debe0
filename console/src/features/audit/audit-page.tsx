import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Collapse, Input } from 'antd';
import type { AuditEntry, AuditList } from '../../../../src/admin/contract/audit.js';
import { api, queryText } from '../../api/client';
import { CursorPager } from '../../components/cursor-pager';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';

const FILTERS = ['actor', 'action', 'objectType', 'objectId', 'group', 'bulk', 'from', 'to'] as const;

/** Who changed what, when and why. Nothing in it is ever changed. */
export function AuditPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, one(raw, name)]));
  const after = one(raw, 'after');
  const list = useQuery({
    queryKey: ['audit', filters, after],
    queryFn: ({ signal }) => api.get<AuditList>('audit', { ...filters, cursor: after }, signal),
    placeholderData: (before) => before,
  });
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: '/audit', search: { ...filters, ...change } as never });
  const columns: Column<AuditEntry>[] = [
    { key: 'at', title: t('task.at'), cell: ({ at }) => <Instant at={at} /> },
    { key: 'actor', title: t('audit.actor'), cell: ({ actor }) => <bdi className="mono">{actor}</bdi> },
    { key: 'action', title: t('audit.action'), cell: ({ action }) => <code>{action}</code> },
    {
      key: 'object',
      title: t('audit.object'),
      cell: ({ object }) => (
        <span>
          {object.type} <bdi className="mono">{object.id ?? ''}</bdi>
        </span>
      ),
    },
    { key: 'group', title: t('task.group'), cell: ({ group }) => <bdi>{group ?? ''}</bdi> },
    { key: 'reason', title: t('audit.reason'), cell: ({ reason }) => <bdi>{reason ?? ''}</bdi> },
    { key: 'change', title: t('audit.change'), width: 200, cell: (entry) => <Change entry={entry} /> },
    {
      key: 'from',
      title: t('audit.address'),
      cell: ({ actorIp, userAgent }) => <span title={userAgent ?? undefined}>{actorIp ?? ''}</span>,
    },
    { key: 'id', title: t('audit.id'), cell: ({ id }) => <code>{id}</code> },
  ];
  return (
    <Page
      title={t('nav.audit')}
      actions={
        <Button href={withBase(`api/audit/export${queryText(filters)}`)} download="audit.ndjson">
          {t('audit.export')}
        </Button>
      }
    >
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
      <DataTable
        label={t('nav.audit')}
        columns={columns}
        rows={list.error && !list.data ? [] : list.data?.items}
        rowId={({ id }) => id}
        busy={list.isPlaceholderData}
        empty={<Empty text={t('audit.empty')} />}
      />
      <CursorPager cursor={after} next={list.data?.nextCursor} onGo={(cursor) => go({ after: cursor })} />
    </Page>
  );
}

function Change({ entry: { before, after } }: { entry: AuditEntry }) {
  const t = useT();
  if (before === null && after === null) return null;
  const lines = changedLines(before, after);
  return (
    <Collapse
      ghost
      size="small"
      items={[
        {
          key: 'change',
          label: t('audit.fields', { n: lines.length }),
          children: (
            <ul className="plain-list">
              {lines.map(({ name, from, to }) => (
                <li key={name}>
                  <code>{name}</code>: <del className="state-failed">{from}</del> → <ins className="state-succeeded">{to}</ins>
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}

function changedLines(before: unknown, after: unknown): { name: string; from: string; to: string }[] {
  const members = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const [a, b] = [members(before), members(after)];
  const text = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .map((name) => ({ name, from: text(a[name]), to: text(b[name]) }))
    .filter(({ from, to }) => from !== to);
}
