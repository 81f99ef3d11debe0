import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from 'antd';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Page } from '../../components/page';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { useT } from '../../lib/i18n';
import { DEFAULT_WINDOW, WINDOWS } from '../../lib/since';
import { TaskFilterBar } from './filter-bar';
import { countsQuestion, filtersOf } from './questions';
import { GROUPINGS, SIZES, TASK_RULES, type TaskSearch, taskQuery, taskSearch } from './search';
import { SelectionBar } from './selection-bar';
import { StateChips } from './state-chips';
import { TaskGroups } from './task-groups';
import { TaskRows } from './task-rows';
import { TaskViews } from './task-views';

/** The list of tasks. Everything one chose is in the URL; rows keep their places while they change. */
export function TasksPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const search = useMemo(() => taskSearch(raw), [raw]);
  const { strays, blocked } = useStrays(TASK_RULES);
  const navigate = useNavigate();
  const go = useCallback(
    (change: Partial<TaskSearch>, replace = false) =>
      void navigate({ to: '/tasks', search: { ...raw, after: undefined, ...change } as never, replace }),
    [navigate, raw],
  );
  const query = taskQuery(search);
  const counts = useQuery({ ...countsQuestion(query), placeholderData: keepPreviousData, enabled: !blocked });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const view = JSON.stringify({ ...search, after: undefined, size: undefined, peek: undefined });
  const former = useRef(view);
  useEffect(() => {
    if (former.current !== view) setSelected(new Set());
    former.current = view;
  }, [view]);
  const total = counts.data?.total;
  const window = search.since ?? DEFAULT_WINDOW;
  return (
    <Page
      title={t('nav.tasks')}
      actions={
        <>
          <Select
            aria-label={t('tasks.groupBy')}
            value={search.by ?? ''}
            options={[
              { value: '', label: t('tasks.notGrouped') },
              ...GROUPINGS.map((value) => ({
                value: value as string,
                label: t('tasks.groupedBy', { what: t(`tasks.by.${value}`) }),
              })),
            ]}
            onChange={(by) => go({ by: GROUPINGS.find((each) => each === by) })}
          />
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
      <TaskViews search={search} onOpen={(view) => void navigate({ to: '/tasks', search: view as never })} />
      <StateChips counts={counts.data} chosen={search.state} onChange={(state) => go({ state })} />
      <TaskFilterBar search={search} onChange={go} />
      <StrayFilters strays={strays} />
      {!blocked && <SelectionBar selected={selected} search={search} total={total} clear={() => setSelected(new Set())} />}
      {blocked ? null : search.by ? (
        <TaskGroups by={search.by} filters={filtersOf(query)} onList={go} />
      ) : (
        <TaskRows
          search={search}
          query={query}
          view={view}
          total={total}
          selection={{ ids: selected, change: setSelected }}
          onChange={go}
        />
      )}
    </Page>
  );
}
