import { App, Button, Form, InputNumber, Select } from 'antd';
import { useState } from 'react';
import type { ChangeGroup, GroupView } from '../../../../src/admin/contract/groups.js';
import { ApiError, api, segment } from '../../api/client';
import { useMay } from '../../api/session';
import { ReasonField } from '../../components/reason-field';
import { failureText, fieldErrors } from '../../lib/field-errors';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';

const ROUTINGS = ['equal_cost', 'round_robin', 'random', 'consistent_hash'];

export function GroupForm({
  group,
  blocked,
  onSaved,
}: {
  group: GroupView;
  /** Why there is nothing to set. */
  blocked: string | null;
  onSaved: () => void;
}) {
  const t = useT();
  const code = useCodeText();
  const { language } = usePreferences();
  const may = useMay('groups.edit', group.key);
  const { message } = App.useApp();
  const [form] = Form.useForm();
  const [busy, setBusy] = useState(false);
  async function save(values: Omit<ChangeGroup, 'revision'>) {
    setBusy(true);
    try {
      await api.patch(`groups/${segment(group.key)}`, {
        ...values,
        routing: values.routing ?? null,
        maxDispatchRate: values.maxDispatchRate ?? null,
        revision: group.revision,
      });
      message.success(t('groups.saved'));
      onSaved();
    } catch (error) {
      const fields = fieldErrors(error, language);
      if (fields.length > 0) form.setFields(fields as never);
      else message.error(failureText(error, language), 8);
      if (error instanceof ApiError && error.code === 'version_conflict') onSaved();
    } finally {
      setBusy(false);
    }
  }
  const { maxRunning, maxPending, maxDispatchRate, routing } = group;
  const why = may ? blocked : t('error.needs', { permission: 'groups.edit' });
  return (
    <section className="panel" aria-label={t('groups.settings')} style={{ maxWidth: 960 }}>
      <h2>{t('groups.settings')}</h2>
      <Form
        form={form}
        layout="vertical"
        disabled={why !== null}
        initialValues={{ maxRunning, maxPending, maxDispatchRate, routing: routing ?? undefined }}
        onFinish={(values) => void save(values)}
      >
        <Form.Item
          name="maxRunning"
          label={t('groups.maxRunning')}
          extra={t('groups.maxRunningHint')}
          rules={[{ required: true }]}
        >
          <InputNumber min={0} />
        </Form.Item>
        <Form.Item name="maxPending" label={t('groups.maxPending')} rules={[{ required: true }]}>
          <InputNumber min={0} />
        </Form.Item>
        <Form.Item name="maxDispatchRate" label={t('groups.rate')} extra={t('groups.rateHint')}>
          <InputNumber min={1} placeholder={t('groups.unlimited')} style={{ minWidth: 160 }} />
        </Form.Item>
        <Form.Item name="routing" label={t('groups.routing')}>
          <Select
            allowClear
            placeholder={t('groups.routingDefault')}
            options={ROUTINGS.map((value) => ({ value, label: code('routing', value) }))}
          />
        </Form.Item>
        <ReasonField />
        {why === null ? (
          <Button type="primary" htmlType="submit" loading={busy}>
            {t('groups.save')}
          </Button>
        ) : (
          <span className="secondary">{why}</span>
        )}
      </Form>
    </section>
  );
}
