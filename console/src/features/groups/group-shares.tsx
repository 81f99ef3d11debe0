import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { GroupShares } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';
import { Bar } from '../../components/bar';
import { type Column, DataTable } from '../../components/data-table';
import { Loaded } from '../../components/loaded';
import { useT } from '../../lib/i18n';
import { shareText } from '../../lib/times';

/** Which partner's tasks run and wait in the group, each against all of them. */
export function GroupSharesPanel({ group }: { group: string }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['groups', 'shares', group],
    queryFn: ({ signal }) => api.get<GroupShares>(`groups/${segment(group)}/shares`, undefined, signal),
    refetchInterval: useLookAgain(5_000),
    placeholderData: (before) => before,
  });
  return (
    <section className="panel stack" aria-label={t('groups.shares')}>
      <h2>{t('groups.shares')}</h2>
      <Loaded query={query}>
        {({ items, running, waiting }) => {
          const part = (count: number, all: number) => `${count} (${shareText(all === 0 ? 0 : count / all)})`;
          const columns: Column<GroupShares['items'][number]>[] = [
            {
              key: 'app',
              title: t('groups.partner'),
              cell: ({ app }) =>
                app ? (
                  <Link
                    to="/tasks"
                    search={{ app: app.id, group: [group], since: 'all', state: ['PENDING', 'DISPATCHED', 'RUNNING'] } as never}
                  >
                    <bdi>{app.name}</bdi>
                  </Link>
                ) : (
                  <span className="secondary">{t('groups.house')}</span>
                ),
            },
            {
              key: 'running',
              title: t('groups.runningShare'),
              cell: ({ running: own }) => <Bar value={own} max={running} tone="plain" label={part(own, running)} />,
            },
            {
              key: 'waiting',
              title: `${t('groups.waitingShare')}${waiting.capped ? ` (${t('groups.firstOf', { n: waiting.count })})` : ''}`,
              cell: ({ waiting: own }) => <Bar value={own} max={waiting.count} tone="plain" label={part(own, waiting.count)} />,
            },
          ];
          return (
            <DataTable
              label={t('groups.shares')}
              columns={columns}
              rows={items}
              rowId={({ app }) => app?.id ?? 'house'}
              empty={t('groups.nothingThere')}
            />
          );
        }}
      </Loaded>
    </section>
  );
}
