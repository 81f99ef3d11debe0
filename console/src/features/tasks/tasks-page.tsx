import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Select } from 'antd';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ConsoleTaskList, TaskCounts, TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { api, queryText } from '../../api/client';
import { isLivePaused } from '../../api/live';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { DEFAULT_WINDOW, WINDOWS, wider } from '../../lib/since';
import { TaskFilterBar } from './filter-bar';
import { useHeldRows } from './held-rows';
import { SIZES, type TaskSearch, taskQuery, taskSearch } from './search';
import { SelectionBar } from './selection-bar';
import { StateChips } from './state-chips';
import { useTaskColumns } from './task-columns';
import { useTaskKeys } from './task-keys';
import { TaskPeek } from './task-peek';

/** The list of tasks. Everything one chose is in the URL; rows keep their places while they change. */
export function TasksPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => taskSearch(raw), [raw]);
  const navigate = useNavigate();
  const go = (change: Partial<TaskSearch>, replace = false) =>
    void navigate({ to: '/tasks', search: { ...search, after: undefined, ...change } as never, replace });
  const query = taskQuery(search);
  const list = useQuery({
    queryKey: ['tasks', 'list', query],
    queryFn: ({ signal }) => api.get<ConsoleTaskList>('tasks', query, signal),
    placeholderData: keepPreviousData,
    enabled: () => !isLivePaused(),
  });
  const { cursor: _, limit: __, ...filters } = query;
  const counts = useQuery({
    queryKey: ['tasks', 'counts', filters],
    queryFn: ({ signal }) => api.get<TaskCounts>('tasks/counts', filters, signal),
    placeholderData: keepPreviousData,
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const filterText = JSON.stringify({ ...search, after: undefined, size: undefined, peek: undefined });
  const former = useRef(filterText);
  useEffect(() => {
    if (former.current !== filterText) setSelected(new Set());
    former.current = filterText;
  }, [filterText]);
  const { rows, fresh, show } = useHeldRows(
    list.data?.items,
    search.after === undefined ? filterText : `${filterText}${search.after}`,
  );
  const total = counts.data?.total;
  const columns = useTaskColumns();
  const window = search.since ?? DEFAULT_WINDOW;
  const next = wider(window);
  const { keys, asked, close } = useTaskKeys();
  return (
    <Page
      title={t('nav.tasks')}
      actions={
        <>
          <Select
            aria-label={t('tasks.window')}
            value={search.from || search.to ? 'custom' : window}
            options={[
              ...WINDOWS.map((value) => ({ value: value as string, label: t(`window.${value}`) })),
              ...(search.from || search.to ? [{ value: 'custom', label: t('window.custom') }] : []),
            ]}
            onChange={(value) =>
              go({ since: value === DEFAULT_WINDOW ? undefined : (value as typeof window), from: undefined, to: undefined })
            }
          />
          <Select
            aria-label={t('table.size')}
            value={search.size ?? 50}
            options={SIZES.map((value) => ({ value, label: t('table.perPage', { n: value }) }))}
            onChange={(size) => go({ size: size === 50 ? undefined : size })}
          />
        </>
      }
    >
      <StateChips counts={counts.data} chosen={search.state} onChange={(state) => go({ state })} />
      <TaskFilterBar search={search} onChange={go} />
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <SelectionBar selected={selected} search={search} total={total} clear={() => setSelected(new Set())} />
      <DataTable<TaskSummary>
        name="tasks"
        label={t('nav.tasks')}
        columns={columns}
        rows={list.error && !list.data ? [] : rows}
        rowId={(task) => task.id}
        edge={(task) => (task.state === 'FAILED' || task.state === 'TIMED_OUT' ? 'failed' : task.late ? 'late' : undefined)}
        selection={{ ids: selected, change: setSelected }}
        busy={list.isFetching && list.isPlaceholderData}
        keys={keys}
        lead={
          <>
            <span className="secondary">{total && t('tasks.total', { n: `${total.count}${total.capped ? '+' : ''}` })}</span>
            {fresh > 0 && (
              <span role="status">
                <Button size="small" type="primary" ghost onClick={show}>
                  {t('tasks.fresh', { n: fresh })}
                </Button>
              </span>
            )}
          </>
        }
        tools={<ExportButton address={withBase(`api/tasks/export${queryText(filters)}`)} />}
        empty={
          <Empty
            text={t('tasks.empty', { window: t(`window.${window}`) })}
            actions={
              <>
                {next && !search.from && !search.to && (
                  <Button onClick={() => go({ since: next === DEFAULT_WINDOW ? undefined : next })}>
                    {t('tasks.widen', { window: t(`window.${next}`) })}
                  </Button>
                )}
                {search.state && <Button onClick={() => go({ state: undefined })}>{t('tasks.anyState')}</Button>}
                <Button onClick={() => void navigate({ to: '/tasks', search: {} as never })}>{t('tasks.reset')}</Button>
              </>
            }
          />
        }
      />
      {list.data?.searchedTo && list.data.nextCursor && (
        <span className="secondary">{t('tasks.searchedTo', { at: list.data.searchedTo })}</span>
      )}
      {search.peek && <TaskPeek id={search.peek} close={close} />}
      {asked}
      <CursorPager cursor={search.after} next={list.data?.nextCursor} onGo={(after) => go({ after })} />
    </Page>
  );
}
