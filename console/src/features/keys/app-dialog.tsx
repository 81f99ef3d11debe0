import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Form, Input, InputNumber, Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { AppLimitsView, AppView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { ReasonField } from '../../components/reason-field';
import { useT } from '../../lib/i18n';

interface AppForm {
  name: string;
  defaultGroup: string;
  groups: string[];
  limits: AppLimitsView;
  reason?: string;
}
/** All of them: what an edit leaves out falls back to the system's. */
const LIMITS = [
  'requestsPerSecond',
  'requestBurst',
  'tasksPerSecond',
  'taskBurst',
  'unfinishedTasks',
  'pendingCallbacks',
] as const;

export function AppDialog({ app, close }: { app: AppView | null; close: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [form] = Form.useForm<AppForm>();
  const { busy, attempt } = useAttempt(form);
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const options = groups.data?.items.map(({ key }) => ({ value: key, label: key }));
  const refresh = () => void client.invalidateQueries({ queryKey: ['keys'] });
  async function save(values: AppForm) {
    // Whoever looks again after a refusal must see what is in force.
    if (app)
      await api
        .patch(`apps/${segment(app.id)}`, { ...values, reason: values.reason || undefined, revision: app.revision })
        .finally(refresh);
    else await api.post('apps', { name: values.name, defaultGroup: values.defaultGroup, groups: values.groups });
    refresh();
    close();
  }
  return (
    <Dialog
      title={app ? app.name : t('keys.newApp')}
      okText={t('groups.save')}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Form
        form={form}
        layout="vertical"
        initialValues={app ?? { groups: [] }}
        onFinish={(values) => void attempt(() => save(values))}
      >
        <Form.Item name="name" label={t('keys.appName')} rules={[{ required: true }]}>
          <Input maxLength={128} />
        </Form.Item>
        <Form.Item name="defaultGroup" label={t('keys.defaultGroup')} rules={[{ required: true }]}>
          <Select options={options} />
        </Form.Item>
        <Form.Item name="groups" label={t('workers.groups')}>
          <Select mode="multiple" options={options} />
        </Form.Item>
        {app &&
          LIMITS.map((name) => (
            <Form.Item key={name} name={['limits', name]} label={t(`keys.limit.${name}`)}>
              <InputNumber min={1} />
            </Form.Item>
          ))}
        {app && <ReasonField />}
      </Form>
    </Dialog>
  );
}
