import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'antd';
import { useMemo, useState } from 'react';
import type { ConsoleJobList, JobSummary } from '../../../../src/admin/contract/jobs.js';
import { api, queryText } from '../../api/client';
import { useMay } from '../../api/session';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { useJobColumns } from './job-columns';
import { JobFilters } from './job-filters';
import { useJobKeys } from './job-keys';
import { JobPeek } from './job-peek';
import { JobSelection } from './job-selection';
import { JOB_RULES, type JobSearch, jobSearch, SORTED_COLUMNS } from './search';

export function JobsPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => jobSearch(raw), [raw]);
  const { strays, blocked } = useStrays(JOB_RULES);
  const navigate = useNavigate();
  const may = useMay('jobs.edit');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { after, ...filters } = search;
  const list = useQuery({
    queryKey: ['jobs', 'list', search],
    queryFn: ({ signal }) => api.get<ConsoleJobList>('jobs', { ...filters, cursor: after }, signal),
    placeholderData: keepPreviousData,
    enabled: !blocked,
  });
  const columns = useJobColumns();
  const { keys, peeked, close, asked } = useJobKeys();
  const go = (change: Partial<JobSearch>) =>
    void navigate({ to: '/jobs', search: { ...raw, after: undefined, ...change } as never });
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
      <JobFilters search={search} onChange={go} />
      <StrayFilters strays={strays} />
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <JobSelection ids={selected} clear={() => setSelected(new Set())} />
      <DataTable<JobSummary>
        name="jobs"
        label={t('nav.jobs')}
        columns={columns}
        rows={blocked || (list.error && !list.data) ? null : list.data?.items}
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
        keys={keys}
        sorting={{ by: search.sort, change: (by) => go({ sort: by as JobSearch['sort'] }), columns: SORTED_COLUMNS }}
        tools={!blocked && <ExportButton address={withBase(`api/jobs/export${queryText({ ...filters })}`)} />}
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
      <CursorPager
        cursor={after}
        next={blocked ? null : list.data?.nextCursor}
        onGo={(cursor) => go({ after: cursor })}
        sort={search.sort}
      />
      {peeked && <JobPeek id={peeked} close={close} />}
      {asked}
    </Page>
  );
}
