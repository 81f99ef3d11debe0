import { useQueryClient } from '@tanstack/react-query';
import { App, Form, Segmented, Select } from 'antd';
import { useState } from 'react';
import type { AppView, CreatedKey } from '../../../../src/admin/contract/keys.js';
import { api } from '../../api/client';
import { Dialog } from '../../components/dialog';
import { failureText, fieldErrors } from '../../lib/field-errors';
import { useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { useReturnFocus } from '../../lib/return-focus';
import { KeyFields, type KeyFieldValues } from './key-fields';
import { SecretOnce } from './secret-once';

interface KeyForm extends KeyFieldValues {
  kind: 'partner' | 'worker';
  app?: string;
}

/** Asks what the key may do first; then shows its secret, once. */
export function CreateKeyDialog({ apps, close }: { apps: readonly AppView[]; close: () => void }) {
  // The secret takes the place of the questions: only this one was opened by somebody.
  useReturnFocus();
  const t = useT();
  const { language } = usePreferences();
  const client = useQueryClient();
  const { message } = App.useApp();
  const [form] = Form.useForm<KeyForm>();
  const kind = Form.useWatch('kind', form) ?? 'partner';
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<CreatedKey | null>(null);

  async function create({ kind: of, label, app, groups: served, scopes, ipAllow, expiresAt }: KeyForm) {
    setBusy(true);
    try {
      const common = {
        label,
        ...(ipAllow?.length ? { ipAllow } : {}),
        ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
      };
      const body =
        of === 'partner'
          ? { ...common, kind: of, app, ...(scopes?.length ? { scopes } : {}) }
          : { ...common, kind: of, groups: served };
      const answer = await api.post<CreatedKey>('keys', body);
      setMade(answer.body);
      await client.invalidateQueries({ queryKey: ['keys'] });
    } catch (error) {
      const fields = fieldErrors(error, language);
      if (fields.length > 0) form.setFields(fields as never);
      else message.error(failureText(error, language), 8);
    } finally {
      setBusy(false);
    }
  }

  if (made) return <SecretOnce made={made} close={close} />;
  return (
    <Dialog
      title={t('keys.create')}
      okText={t('keys.create')}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Form form={form} layout="vertical" initialValues={{ kind: 'partner' }} onFinish={(values) => void create(values)}>
        <Form.Item name="kind" label={t('keys.kind')}>
          <Segmented options={(['partner', 'worker'] as const).map((value) => ({ value, label: t(`keys.kind.${value}`) }))} />
        </Form.Item>
        <KeyFields
          kind={kind}
          fresh
          owner={
            <Form.Item name="app" label={t('keys.app')} rules={[{ required: true }]}>
              <Select
                showSearch={{ optionFilterProp: 'label' }}
                options={apps.map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Form.Item>
          }
        />
      </Form>
    </Dialog>
  );
}
