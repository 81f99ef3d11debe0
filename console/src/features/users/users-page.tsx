import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'antd';
import { useCallback, useState } from 'react';
import type { RolesAnswer, UserView } from '../../../../src/admin/contract/users.js';
import { api } from '../../api/client';
import { useMay } from '../../api/session';
import { type Column, DataTable } from '../../components/data-table';
import { EditButton } from '../../components/edit-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { useCodeText, useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { RoleMatrix } from './role-matrix';
import { UserDialog } from './user-dialog';
import { grantsText, UserPeek } from './user-peek';
import './users.css';

/** Who may sign in, and what each may do where. The person looked at, and the group asked about, are in the URL. */
export function UsersPage() {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const may = useMay('users.manage');
  const [edited, setEdited] = useState<UserView | 'new' | null>(null);
  const list = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => api.get<{ items: UserView[] }>('users', undefined, signal),
  });
  const roles = useQuery({ queryKey: ['roles'], queryFn: ({ signal }) => api.get<RolesAnswer>('roles', undefined, signal) });
  const user = one(raw, 'user');
  const close = useCallback(() => void navigate({ to: '/users', search: {} as never }), [navigate]);
  const columns: Column<UserView>[] = [
    {
      key: 'name',
      title: t('login.username'),
      cell: ({ username }) => (
        <Link to="/users" search={{ user: username } as never}>
          <bdi>{username}</bdi>
        </Link>
      ),
    },
    { key: 'role', title: t('users.role'), cell: ({ role }) => code('role', role) },
    {
      key: 'grants',
      title: t('users.grants'),
      cell: ({ grants }) => <bdi>{grantsText(grants, (role) => code('role', role), t)}</bdi>,
    },
    {
      key: 'state',
      title: t('task.state'),
      cell: ({ disabled }) => (disabled ? <span className="state-skipped">{t('users.disabled')}</span> : t('users.enabled')),
    },
    { key: 'last', title: t('users.lastSignIn'), cell: ({ lastSignInAt }) => <Instant at={lastSignInAt} /> },
    { key: 'sessions', title: t('users.sessions'), numeric: true, cell: ({ sessions }) => sessions },
    {
      key: 'actions',
      title: t('users.actions'),
      cell: (each) => <EditButton object={each.username} permission="users.manage" onClick={() => setEdited(each)} />,
    },
  ];
  return (
    <Page
      title={t('nav.users')}
      actions={
        may && (
          <Button type="primary" onClick={() => setEdited('new')}>
            {t('users.create')}
          </Button>
        )
      }
    >
      {list.error && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      <DataTable
        label={t('nav.users')}
        columns={columns}
        rows={list.data?.items ?? (list.error ? null : undefined)}
        rowId={({ username }) => username}
        empty={null}
      />
      {roles.data && <RoleMatrix roles={roles.data} />}
      {user !== undefined && (
        <UserPeek
          key={user}
          username={user}
          group={one(raw, 'group')}
          onGroup={(group) => void navigate({ to: '/users', search: { user, group } as never, replace: true })}
          close={close}
        />
      )}
      {edited && (
        <UserDialog
          user={edited === 'new' ? null : edited}
          close={() => setEdited(null)}
          saved={() => {
            setEdited(null);
            void client.invalidateQueries({ queryKey: ['users'] });
          }}
        />
      )}
    </Page>
  );
}
