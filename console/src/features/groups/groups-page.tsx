import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button, Switch, Tag } from 'antd';
import { useState } from 'react';
import type { GroupList, GroupView } from '../../../../src/admin/contract/groups.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { Bar } from '../../components/bar';
import { CreateGroup } from '../../components/create-group';
import { type Column, DataTable } from '../../components/data-table';
import { Empty } from '../../components/empty';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { sortedBy } from '../../components/sorting';
import { WrittenText } from '../../components/written-text';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { durationText } from '../../lib/times';

export function GroupsPage() {
  const t = useT();
  const may = useMay('groups.create');
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  const sort = one(search, 'sort');
  const archived = one(search, 'archived') === 'true';
  const go = (change: { sort?: string; archived?: boolean }) =>
    void navigate({ to: '/groups', search: { sort, archived: archived || undefined, ...change } as never, replace: true });
  const [creating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: archived ? ['groups', 'list', 'archived'] : ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', archived ? { archived } : undefined, signal),
    placeholderData: (before) => before,
  });
  const columns: Column<GroupView>[] = [
    {
      key: 'key',
      title: t('task.group'),
      order: ({ key }) => key,
      cell: ({ key, archivedAt }) => (
        <>
          <Link to="/groups/$groupKey" params={{ groupKey: key }}>
            <bdi>{key}</bdi>
          </Link>{' '}
          {archivedAt && <Tag>{t('groups.archived')}</Tag>}
        </>
      ),
    },
    { key: 'hold', title: t('groups.held'), cell: ({ hold }) => (hold ? <HoldText hold={hold} /> : '–') },
    {
      key: 'quota',
      title: t('groups.running'),
      width: 220,
      order: ({ running }) => running,
      cell: ({ running, maxRunning, hold }) => (
        <Bar
          value={running}
          max={maxRunning}
          tone={hold ? 'hatched' : undefined}
          label={
            maxRunning === 0
              ? t('groups.quotaZero', { running: running.toLocaleString() })
              : `${running.toLocaleString()}/${maxRunning.toLocaleString()}`
          }
        />
      ),
    },
    {
      key: 'pending',
      title: t('groups.pending'),
      numeric: true,
      order: ({ pending }) => pending.count,
      cell: ({ pending }) => `${pending.count.toLocaleString()}${pending.capped ? '+' : ''}`,
    },
    {
      key: 'oldest',
      title: t('groups.oldest'),
      numeric: true,
      order: ({ oldestPendingDueAt }) => (oldestPendingDueAt ? -Date.parse(oldestPendingDueAt) : null),
      cell: (group) => <Oldest group={group} />,
    },
    {
      key: 'workers',
      title: t('nav.workers'),
      order: ({ workers }) => workers.online,
      cell: ({ workers, pending }) => (
        <span className={workers.online === 0 && pending.count > 0 ? 'state-failed' : undefined}>
          {workers.online}
          {workers.draining + workers.cordoned > 0 && (
            <span className="secondary"> {t('groups.workersAway', { n: workers.draining + workers.cordoned })}</span>
          )}
        </span>
      ),
    },
    { key: 'jobs', title: t('nav.jobs'), numeric: true, order: ({ jobs }) => jobs, cell: ({ jobs }) => jobs },
  ];
  return (
    <Page
      title={t('nav.groups')}
      actions={
        <>
          <span className="row">
            <Switch
              size="small"
              aria-label={t('groups.showArchived')}
              checked={archived}
              onChange={(shown) => go({ archived: shown || undefined })}
            />
            {t('groups.showArchived')}
          </span>
          {may && (
            <Button type="primary" onClick={() => setCreating(true)}>
              {t('groups.create')}
            </Button>
          )}
        </>
      }
    >
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label={t('nav.groups')}
        columns={columns}
        rows={list.error && !list.data ? [] : list.data && sortedBy(list.data.items, columns, sort)}
        rowId={({ key }) => key}
        sorting={{ by: sort, change: (by) => go({ sort: by }) }}
        edge={({ hold }) => (hold ? 'late' : undefined)}
        empty={<Empty text={t('groups.empty')} />}
      />
      {creating && (
        <CreateGroup
          close={() => setCreating(false)}
          onCreated={({ key }) => void navigate({ to: '/groups/$groupKey', params: { groupKey: key } })}
        />
      )}
    </Page>
  );
}

/** How long the task that waits longest has been due. */
export function Oldest({ group: { oldestPendingDueAt } }: { group: GroupView }) {
  const t = useT();
  return oldestPendingDueAt ? durationText(Math.max(0, Date.now() - Date.parse(oldestPendingDueAt)), t) : '–';
}

export function HoldText({ hold }: { hold: NonNullable<GroupView['hold']> }) {
  const t = useT();
  return (
    <span className="state-late">
      <WrittenText text={hold.reason ?? t('groups.held')} />
      {hold.until && (
        <>
          {' '}
          {t('groups.until')} <Instant at={hold.until} />
        </>
      )}
    </span>
  );
}
