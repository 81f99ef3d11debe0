import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from 'antd';
import { useCallback } from 'react';
import type { CappedCount } from '../../../../src/admin/contract/page.js';
import type { TaskSummary } from '../../../../src/admin/contract/tasks.js';
import { type Query, queryText } from '../../api/client';
import { isLivePaused } from '../../api/live';
import { useLookAgain } from '../../api/look-again';
import { CursorPager } from '../../components/cursor-pager';
import { DataTable, type Selection } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { ExportButton } from '../../components/table-tools';
import { withBase } from '../../lib/base-path';
import { useT } from '../../lib/i18n';
import { DEFAULT_WINDOW, wider } from '../../lib/since';
import { useHeldRows } from './held-rows';
import { JumpToTime } from './jump-to-time';
import { untilNextLook } from './next-late';
import { listQuestion } from './questions';
import { SORTED_COLUMNS, type TaskSearch } from './search';
import { useTaskColumns } from './task-columns';
import { useTaskKeys } from './task-keys';
import { TaskPeek } from './task-peek';

interface TaskRowsProps {
  search: TaskSearch;
  /** As the API is asked for them. */
  query: Query;
  /** Changes with every filter, and with no page. */
  view: string;
  total: CappedCount | undefined;
  selection: Selection;
  onChange: (change: Partial<TaskSearch>) => void;
}

/** The rows of the list and what belongs to them: what a patch of them draws again, and no more. */
export function TaskRows({ search, query, view, total, selection, onChange }: TaskRowsProps) {
  const t = useT();
  const question = listQuestion(query);
  const again = useLookAgain();
  const list = useQuery({
    ...question,
    placeholderData: keepPreviousData,
    enabled: () => !isLivePaused(),
    refetchInterval: ({ state }) => untilNextLook(state.data?.items, Date.now(), !question.meta?.dear && again),
  });
  const { rows, fresh, show } = useHeldRows(list.data?.items, search.after === undefined ? view : `${view}${search.after}`);
  const columns = useTaskColumns();
  const { keys, asked, close } = useTaskKeys();
  const older = useCallback((after: string | undefined) => onChange({ after }), [onChange]);
  const exported = queryText({ ...query, cursor: undefined, limit: undefined });
  return (
    <>
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<TaskSummary>
        name="tasks"
        label={t('nav.tasks')}
        columns={columns}
        rows={list.error && !list.data ? [] : rows}
        rowId={(task) => task.id}
        edge={(task) => (task.state === 'FAILED' || task.state === 'TIMED_OUT' ? 'failed' : task.late ? 'late' : undefined)}
        selection={selection}
        busy={list.isPlaceholderData && list.isFetching}
        keys={keys}
        sorting={{ by: search.sort, change: (by) => onChange({ sort: by as TaskSearch['sort'] }), columns: SORTED_COLUMNS }}
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
        tools={
          <>
            <JumpToTime search={search} onChange={onChange} />
            <ExportButton address={withBase(`api/tasks/export${exported}`)} />
          </>
        }
        empty={<NoTasks search={search} more={Boolean(list.data?.searchedTo)} onChange={onChange} />}
      />
      {list.data?.searchedTo && list.data.nextCursor && (
        <span className="secondary">{t('tasks.searchedTo', { at: list.data.searchedTo })}</span>
      )}
      {search.peek && <TaskPeek id={search.peek} close={close} />}
      {asked}
      <CursorPager cursor={search.after} next={list.data?.nextCursor} onGo={older} sort={search.sort} />
    </>
  );
}

/** Nothing in this window, or nothing that fits: what can be widened. `more`: not everything was searched. */
function NoTasks({ search, more, onChange }: Pick<TaskRowsProps, 'search' | 'onChange'> & { more: boolean }) {
  const t = useT();
  const navigate = useNavigate();
  const stated = search.from !== undefined || search.to !== undefined;
  const window = search.since ?? DEFAULT_WINDOW;
  const next = stated ? undefined : wider(window);
  const shown = stated ? 'custom' : window;
  const nothing = shown === 'all' ? t('tasks.emptyEver') : t('tasks.empty', { window: t(`within.${shown}`) });
  return (
    <Empty
      text={more ? t('tasks.emptySoFar') : nothing}
      actions={
        <>
          {next && (
            <Button onClick={() => onChange({ since: next === DEFAULT_WINDOW ? undefined : next })}>
              {t('tasks.widen', { window: t(`within.${next}`) })}
            </Button>
          )}
          {search.state && <Button onClick={() => onChange({ state: undefined })}>{t('tasks.anyState')}</Button>}
          <Button onClick={() => void navigate({ to: '/tasks', search: {} as never })}>{t('tasks.reset')}</Button>
        </>
      }
    />
  );
}
