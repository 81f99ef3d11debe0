import { useQueryClient } from '@tanstack/react-query';
import { Form, Input, InputNumber } from 'antd';
import type { CreateGroup as CreateGroupBody, GroupView } from '../../../src/admin/contract/groups.js';
import { api } from '../api/client';
import { useT } from '../lib/i18n';
import { useAttempt } from './attempt';
import { Dialog } from './dialog';

/** Asks for a group's key and quota, and makes it. */
export function CreateGroup({ close, onCreated }: { close: () => void; onCreated: (group: GroupView) => void }) {
  const t = useT();
  const client = useQueryClient();
  const [form] = Form.useForm<CreateGroupBody>();
  const { busy, attempt } = useAttempt(form);
  async function create(values: CreateGroupBody) {
    const { body } = await api.post<GroupView>('groups', values);
    await client.invalidateQueries({ queryKey: ['groups'] });
    close();
    onCreated(body);
  }
  return (
    <Dialog
      title={t('groups.create')}
      okText={t('groups.create')}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Form
        form={form}
        layout="vertical"
        onFinish={(values) => void attempt(() => create(values))}
        initialValues={{ maxRunning: 200 }}
      >
        <Form.Item name="key" label={t('groups.key')} rules={[{ required: true }]}>
          <Input autoFocus maxLength={64} />
        </Form.Item>
        <Form.Item name="maxRunning" label={t('groups.maxRunning')}>
          <InputNumber min={0} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
