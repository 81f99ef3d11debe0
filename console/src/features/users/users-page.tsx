import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Form, Input, Modal, Select, Switch } from 'antd';
import { useState } from 'react';
import type { RolesAnswer, UserView } from '../../../../src/admin/contract/users.js';
import { api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { ActionButton } from '../../components/action-button';
import { useAttempt } from '../../components/attempt';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { useCodeText, useT } from '../../lib/i18n';
import { type GrantRow, GrantsField, grantRows, grantsOf } from './grants-field';
import { RoleMatrix } from './role-matrix';

const ROLES = ['none', 'viewer', 'operator', 'admin'];

/** Who may sign in, and what each may do where. */
export function UsersPage() {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const may = useMay('users.manage');
  const [edited, setEdited] = useState<UserView | 'new' | null>(null);
  const list = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => api.get<{ items: UserView[] }>('users', undefined, signal),
  });
  const roles = useQuery({ queryKey: ['roles'], queryFn: ({ signal }) => api.get<RolesAnswer>('roles', undefined, signal) });
  const refresh = () => void client.invalidateQueries({ queryKey: ['users'] });
  const columns: Column<UserView>[] = [
    { key: 'name', title: t('login.username'), cell: ({ username }) => <bdi>{username}</bdi> },
    { key: 'role', title: t('users.role'), cell: ({ role }) => code('role', role) },
    {
      key: 'grants',
      title: t('users.grants'),
      cell: ({ grants }) => (
        <bdi>
          {Object.entries(grants)
            .map(([group, role]) => `${group}: ${code('role', role)}`)
            .join(', ') || '–'}
        </bdi>
      ),
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
      cell: (user) => (
        <div className="row">
          <Button disabled={!may} aria-label={`${t('users.edit')} ${user.username}`} onClick={() => setEdited(user)}>
            {t('users.edit')}
          </Button>
          <ActionButton
            label={t('users.delete')}
            permission="users.manage"
            group={null}
            object={user.username}
            danger
            confirm="name"
            run={(reason) => api.delete(`users/${segment(user.username)}`, { reason })}
            done={t('users.deleted')}
            onDone={refresh}
          />
        </div>
      ),
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
        rows={list.error ? [] : list.data?.items}
        rowId={({ username }) => username}
        empty=""
      />
      {roles.data && <RoleMatrix roles={roles.data} />}
      {edited && (
        <UserDialog
          user={edited === 'new' ? null : edited}
          close={() => setEdited(null)}
          saved={() => {
            setEdited(null);
            refresh();
          }}
        />
      )}
    </Page>
  );
}

interface UserForm {
  username: string;
  password?: string;
  role: string;
  disabled?: boolean;
  grants: GrantRow[];
}

function UserDialog({ user, close, saved }: { user: UserView | null; close: () => void; saved: () => void }) {
  const t = useT();
  const code = useCodeText();
  const [form] = Form.useForm<UserForm>();
  const { busy, attempt } = useAttempt(form);
  async function save({ username, password, role, disabled, grants }: UserForm) {
    if (user === null) await api.post('users', { username, password, role, grants: grantsOf(grants) });
    else {
      await api.patch(`users/${segment(user.username)}`, { role, disabled, grants: grantsOf(grants) });
      if (password) await api.post(`users/${segment(user.username)}/password`, { password });
    }
    saved();
  }
  const initial = {
    username: user?.username ?? '',
    role: user?.role ?? 'viewer',
    disabled: user?.disabled ?? false,
    grants: grantRows(user?.grants ?? {}),
  };
  return (
    <Modal
      open
      title={user ? user.username : t('users.create')}
      okText={t('groups.save')}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Form form={form} layout="vertical" initialValues={initial} onFinish={(values) => void attempt(() => save(values))}>
        {!user && (
          <Form.Item name="username" label={t('login.username')} rules={[{ required: true }]}>
            <Input autoFocus maxLength={64} autoComplete="off" />
          </Form.Item>
        )}
        <Form.Item name="password" label={t(user ? 'users.newPassword' : 'login.password')} rules={[{ required: !user }]}>
          <Input.Password autoComplete="new-password" maxLength={1024} />
        </Form.Item>
        <Form.Item name="role" label={t('users.role')}>
          <Select options={ROLES.map((value) => ({ value, label: code('role', value) }))} />
        </Form.Item>
        <GrantsField />
        {user && (
          <Form.Item name="disabled" label={t('users.disabled')} valuePropName="checked">
            <Switch />
          </Form.Item>
        )}
      </Form>
    </Modal>
  );
}
