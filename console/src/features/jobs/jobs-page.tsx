import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Input, Select, Tag } from 'antd';
import { useMemo, useState } from 'react';
import type { BulkKind } from '../../../../src/admin/contract/bulk.js';
import type { ConsoleJobList, JobSummary } from '../../../../src/admin/contract/jobs.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { BulkDialog } from '../../components/bulk-dialog';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { useJobColumns } from './job-columns';
import { type JobSearch, jobSearch } from './search';

export function JobsPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => jobSearch(raw), [raw]);
  const navigate = useNavigate();
  const client = useQueryClient();
  const may = useMay('jobs.edit');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkKind | null>(null);
  const { after, ...filters } = search;
  const list = useQuery({
    queryKey: ['jobs', 'list', search],
    queryFn: ({ signal }) => api.get<ConsoleJobList>('jobs', { ...filters, cursor: after }, signal),
    placeholderData: keepPreviousData,
  });
  const refresh = () => void client.invalidateQueries({ queryKey: ['jobs'] });
  const columns = useJobColumns(refresh);
  const go = (change: Partial<JobSearch>) =>
    void navigate({ to: '/jobs', search: { ...search, after: undefined, ...change } as never });
  const chips = (['group', 'kind', 'handler', 'owner', 'tag', 'app', 'firesBefore'] as const).flatMap((name) => {
    const value = search[name];
    return value === undefined ? [] : [{ name, text: [value].flat().join(', ') }];
  });
  return (
    <Page
      title={t('nav.jobs')}
      actions={
        may && (
          <Button type="primary" onClick={() => void navigate({ to: '/jobs/new' })}>
            {t('jobs.new')}
          </Button>
        )
      }
    >
      <div className="row">
        <Input.Search
          key={search.q ?? ''}
          data-filter
          allowClear
          style={{ width: 320 }}
          aria-label={t('jobs.find')}
          placeholder={t('jobs.find')}
          defaultValue={search.q}
          onSearch={(q) => go({ q: q || undefined })}
        />
        <Select
          allowClear
          style={{ width: 140 }}
          aria-label={t('task.state')}
          placeholder={t('task.state')}
          value={search.state}
          options={(['active', 'paused', 'disabled'] as const).map((value) => ({ value, label: t(`jobState.${value}`) }))}
          onChange={(state) => go({ state })}
        />
        {chips.map(({ name, text }) => (
          <Tag key={name} closable onClose={() => go({ [name]: undefined })}>
            {name}: <bdi>{text}</bdi>
          </Tag>
        ))}
      </div>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {selected.size > 0 && (
        <section className="row panel" aria-label={t('bulk.bar')}>
          <strong>{t('bulk.selected', { n: selected.size })}</strong>
          {(['jobs.pause', 'jobs.resume', 'jobs.run'] as const).map((kind) => (
            <Button key={kind} size="small" onClick={() => setBulk(kind)}>
              {t(`bulk.${kind}`)}
            </Button>
          ))}
          <Button size="small" type="link" onClick={() => setSelected(new Set())}>
            {t('bulk.clear')}
          </Button>
        </section>
      )}
      <DataTable<JobSummary>
        label={t('nav.jobs')}
        columns={columns}
        rows={list.error && !list.data ? [] : list.data?.items}
        rowId={({ id }) => id}
        edge={({ state, recent }) =>
          state === 'disabled' || recent[0]?.state === 'FAILED' || recent[0]?.state === 'TIMED_OUT' ? 'failed' : undefined
        }
        selection={{
          ids: selected,
          change: setSelected,
          nameOf: (id) => list.data?.items.find((job) => job.id === id)?.key ?? id,
        }}
        busy={list.isPlaceholderData}
        empty={
          <Empty
            text={t('jobs.empty')}
            actions={
              <>
                {may && <Link to="/jobs/new">{t('jobs.new')}</Link>}
                <Button onClick={() => void navigate({ to: '/jobs', search: {} as never })}>{t('tasks.reset')}</Button>
              </>
            }
          />
        }
      />
      <CursorPager cursor={after} next={list.data?.nextCursor} onGo={(cursor) => go({ after: cursor })} />
      {bulk && (
        <BulkDialog
          kind={bulk}
          filter={{ ids: [...selected] }}
          close={() => setBulk(null)}
          started={(id) => void navigate({ to: '/bulk/$bulkId', params: { bulkId: id } })}
        />
      )}
    </Page>
  );
}
