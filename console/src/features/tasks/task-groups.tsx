import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import type { TaskGroup, TaskGroups as TaskGroupsAnswer } from '../../../../src/admin/contract/tasks.js';
import { api, type Query } from '../../api/client';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { ShortId } from '../../components/short-id';
import { marksShown } from '../../lib/direction-marks';
import { useT } from '../../lib/i18n';
import type { TaskSearch } from './search';

const TITLES = { job: 'task.jobOrHandler', error: 'tasks.errorTitle', worker: 'task.worker', group: 'task.group' } as const;

/** The list by what its tasks have in common: a flood is one line, and a click lists it. */
export function TaskGroups({
  by,
  filters,
  onList,
}: {
  by: NonNullable<TaskSearch['by']>;
  filters: Query;
  onList: (change: Partial<TaskSearch>) => void;
}) {
  const t = useT();
  const query = useQuery({
    queryKey: ['tasks', 'groups', by, filters],
    queryFn: ({ signal }) => api.get<TaskGroupsAnswer>('tasks/groups', { by, ...filters }, signal),
    placeholderData: keepPreviousData,
    meta: { dear: true },
  });
  // While another grouping is on its way the rows are still those of the one before.
  const shown = query.data?.by ?? by;
  const columns: Column<TaskGroup>[] = [
    {
      key: 'of',
      title: t(TITLES[shown]),
      cell: (group) => {
        const change = listOf(group, shown);
        const text = group.text || group.handler || t(shown === 'error' ? 'tasks.noError' : 'tasks.noneOf');
        return change ? (
          <Button size="small" type="link" onClick={() => onList({ ...change, by: undefined })}>
            <bdi>{marksShown(text)}</bdi>
          </Button>
        ) : (
          <bdi className="error-line" title={text} style={{ maxWidth: 640 }}>
            {marksShown(text)}
          </bdi>
        );
      },
    },
    { key: 'count', title: t('tasks.groupCount'), numeric: true, cell: ({ count }) => count },
    {
      key: 'failed',
      title: t('tasks.groupFailed'),
      numeric: true,
      cell: ({ failed }) => (failed > 0 ? <span className="state-failed">{failed}</span> : '–'),
    },
    { key: 'latest', title: t('tasks.groupLatest'), cell: ({ latest }) => <ShortId id={latest.id} to="/tasks/$taskId" /> },
    { key: 'at', title: t('tasks.groupAt'), cell: ({ latest }) => <Instant at={latest.at} /> },
    {
      key: 'error',
      title: t('tasks.groupError'),
      cell: ({ latest }) => (
        <span className="error-line" title={latest.error ?? undefined}>
          {marksShown(latest.error ?? '')}
        </span>
      ),
    },
  ];
  return (
    <>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <DataTable<TaskGroup>
        label={t('tasks.grouped')}
        columns={columns}
        rows={query.error && !query.data ? [] : query.data?.items}
        rowId={({ job, handler, text }) => JSON.stringify([job, handler, text])}
        edge={({ failed }) => (failed > 0 ? 'failed' : undefined)}
        busy={query.isPlaceholderData}
        lead={query.data && <span className="secondary">{t('tasks.groupedOf', { n: query.data.counted })}</span>}
        empty={<Empty text={t('tasks.noGroups')} />}
      />
      {query.data?.capped && <span className="secondary">{t('tasks.groupsCapped')}</span>}
    </>
  );
}

/** The filter that lists just these; undefined where there is none. */
function listOf({ job, handler, text }: TaskGroup, by: NonNullable<TaskSearch['by']>): Partial<TaskSearch> | undefined {
  if (by === 'error' || text === '') return undefined;
  if (by === 'worker') return { worker: text ?? undefined };
  if (by === 'group') return { group: text ? [text] : undefined };
  return job === null ? { handler: handler ?? undefined } : { job };
}
