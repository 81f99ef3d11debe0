import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { WorkerList, WorkerStateName, WorkerSummary } from '../../../../src/admin/contract/workers.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { GroupBalancePanel } from '../../components/group-balance';
import { useListKeys } from '../../components/list-keys';
import { Page } from '../../components/page';
import { sortedBy } from '../../components/sorting';
import { StrayFilters, useStrays } from '../../components/stray-filters';
import { useT } from '../../lib/i18n';
import { one, type SearchRules } from '../../lib/search';
import { useDrainDeed } from './drain-deed';
import { useWorkerColumns } from './worker-columns';
import { WorkerPeek } from './worker-peek';

const STATES = [
  'online',
  'suspect',
  'draining',
  'drained',
  'cordoned',
  'offline',
  'suspended',
] as const satisfies WorkerStateName[];
/** What the address of the list may say. */
const RULES: SearchRules = { names: ['group', 'state', 'sort', 'peek'], values: { state: STATES } };

/** Who runs the work, fullest first unless one chose another order. */
export function WorkersPage() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const { strays, blocked } = useStrays(RULES);
  const navigate = useNavigate();
  const filter = { group: one(raw, 'group'), state: one(raw, 'state') };
  const list = useQuery({
    queryKey: ['workers', 'list', filter],
    queryFn: ({ signal }) => api.get<WorkerList>('workers', filter, signal),
    // Its beats are not changes the stream tells of.
    refetchInterval: useLookAgain(),
    placeholderData: (before) => before,
    enabled: !blocked,
  });
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const columns = useWorkerColumns();
  const sort = one(raw, 'sort');
  const drain = useDrainDeed();
  const { keys, peeked, close, asked } = useListKeys<WorkerSummary>({
    rowId: ({ id }) => id,
    pageOf: ({ id }) => `/workers/${segment(id)}`,
    traceOf: ({ id }) => ({ to: '/tasks', search: { worker: id, since: 'all' } }),
    traceLabel: t('nav.tasks'),
    stop: drain,
  });
  const fullest = list.data && [...list.data.items].sort((a, b) => (b.load ?? -1) - (a.load ?? -1) || a.id.localeCompare(b.id));
  const rows = fullest && sortedBy(fullest, columns, sort);
  return (
    <Page
      title={t('nav.workers')}
      actions={
        <Select
          allowClear
          aria-label={t('task.group')}
          placeholder={t('task.group')}
          style={{ minWidth: 160 }}
          value={filter.group}
          options={groups.data?.items.map(({ key }) => ({ value: key, label: key }))}
          onChange={(group) => void navigate({ to: '/workers', search: { ...raw, group } as never })}
        />
      }
    >
      <StrayFilters strays={strays} />
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable<WorkerSummary>
        name="workers"
        label={t('nav.workers')}
        columns={columns}
        rows={blocked || (list.error && !rows) ? null : rows}
        rowId={({ id }) => id}
        edge={({ state }) => (state === 'offline' || state === 'suspended' ? 'failed' : state === 'suspect' ? 'late' : undefined)}
        keys={keys}
        sorting={{
          by: sort,
          change: (by) => void navigate({ to: '/workers', search: { ...raw, sort: by } as never, replace: true }),
        }}
        empty={<Empty text={t('workers.empty')} />}
      />
      {filter.group && <GroupBalancePanel group={filter.group} />}
      {peeked && <WorkerPeek id={peeked} close={close} />}
      {asked}
    </Page>
  );
}
