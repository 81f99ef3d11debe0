import { useQueryClient } from '@tanstack/react-query';
import { Form, Input, Select, Switch } from 'antd';
import type { UserView } from '../../../../src/admin/contract/users.js';
import { api, segment } from '../../api/client';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { useCodeText, useT } from '../../lib/i18n';
import { type GrantRow, GrantsField, grantRows, grantsOf } from './grants-field';

const ROLES = ['none', 'viewer', 'operator', 'admin'];

interface UserForm {
  username: string;
  password?: string;
  role: string;
  disabled?: boolean;
  grants: GrantRow[];
}

/** Creates somebody, or changes what they may do. */
export function UserDialog({ user, close, saved }: { user: UserView | null; close: () => void; saved: () => void }) {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const [form] = Form.useForm<UserForm>();
  const { busy, attempt } = useAttempt(form);
  async function save({ username, password, role, disabled, grants }: UserForm) {
    if (user === null) await api.post('users', { username, password, role, grants: grantsOf(grants) });
    else {
      const rights = { role, disabled, grants: grantsOf(grants), revision: user.revision };
      await api.patch(`users/${segment(user.username)}`, rights).catch((error) => {
        // Whoever looks again must see what is in force.
        void client.invalidateQueries({ queryKey: ['users'] });
        throw error;
      });
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
    <Dialog
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
    </Dialog>
  );
}
