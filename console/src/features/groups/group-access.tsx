import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Tag } from 'antd';
import type { GroupAccess, GroupKey } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { type Column, DataTable } from '../../components/data-table';
import { Loaded } from '../../components/loaded';
import { WrittenText } from '../../components/written-text';
import { useCodeText, useT } from '../../lib/i18n';

type Member = NonNullable<GroupAccess['members']>[number];
type Reach = GroupKey & { owner: string | null };

/** Which people and which keys reach the group; what one may not see is left out. */
export function GroupAccessPanel({ group }: { group: string }) {
  const t = useT();
  const code = useCodeText();
  const query = useQuery({
    queryKey: ['groups', 'access', group],
    queryFn: ({ signal }) => api.get<GroupAccess>(`groups/${segment(group)}/access`, undefined, signal),
  });
  const members: Column<Member>[] = [
    { key: 'name', title: t('groups.person'), cell: ({ username }) => <bdi>{username}</bdi> },
    {
      key: 'role',
      title: t('groups.role'),
      cell: ({ role, disabled }) => (
        <>
          {code('role', role)} {disabled && <Tag>{t('groups.disabled')}</Tag>}
        </>
      ),
    },
    { key: 'by', title: t('groups.by'), cell: ({ everywhere }) => t(everywhere ? 'groups.everywhere' : 'groups.hereOnly') },
  ];
  const keys: Column<Reach>[] = [
    {
      key: 'key',
      title: t('groups.accessKey'),
      cell: ({ accessKey, label }) => (
        <Link to="/keys/$accessKey" params={{ accessKey }}>
          <WrittenText text={label || accessKey} />
        </Link>
      ),
    },
    { key: 'owner', title: t('groups.partner'), cell: ({ owner }) => <bdi>{owner ?? t('groups.itsWorkers')}</bdi> },
    { key: 'scopes', title: t('groups.scopes'), cell: ({ scopes }) => scopes.join(', ') || '–' },
    { key: 'state', title: t('task.state'), cell: ({ active }) => t(active ? 'groups.active' : 'groups.inactive') },
  ];
  return (
    <Loaded query={query}>
      {(access) => {
        const partners = access.partners?.flatMap(({ name, keys: own }) => own.map((key): Reach => ({ ...key, owner: name })));
        const reaching = partners && [...partners, ...(access.workerKeys ?? []).map((key): Reach => ({ ...key, owner: null }))];
        if (!access.members && !reaching) return null;
        return (
          <section className="panel stack" aria-label={t('groups.access')}>
            <h2>{t('groups.access')}</h2>
            {access.members && (
              <DataTable
                label={t('groups.people')}
                columns={members}
                rows={access.members}
                rowId={({ username }) => username}
                empty={t('groups.nobody')}
              />
            )}
            {reaching && (
              <DataTable
                label={t('groups.keys')}
                columns={keys}
                rows={reaching}
                rowId={({ accessKey }) => accessKey}
                empty={t('groups.noKeys')}
              />
            )}
          </section>
        );
      }}
    </Loaded>
  );
}
