import { Form } from 'antd';
import dayjs from 'dayjs';
import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { ReasonField } from '../../components/reason-field';
import { useT } from '../../lib/i18n';
import { KeyFields, type KeyFieldValues } from './key-fields';

/**
 * Changes what a key may do, from how it was when it was opened: what another has changed since is not undone. `refresh` is told of a
 * refusal too, so that whoever opens it again sees what is in force.
 */
export function EditKeyDialog({ apiKey: key, close, refresh }: { apiKey: KeyView; close: () => void; refresh: () => void }) {
  const t = useT();
  const [form] = Form.useForm<KeyFieldValues & { reason?: string }>();
  const { busy, attempt } = useAttempt(form);
  async function save({ label, scopes, groups, ipAllow, expiresAt, reason }: KeyFieldValues & { reason?: string }) {
    const body = {
      revision: key.revision,
      label,
      ...(key.kind === 'partner' ? { scopes } : { groups }),
      ipAllow: ipAllow?.length ? ipAllow : null,
      expiresAt: expiresAt?.toISOString() ?? null,
      reason: reason || undefined,
    };
    await api.patch(`keys/${segment(key.accessKey)}`, body).finally(refresh);
    close();
  }
  const initial = {
    label: key.label,
    scopes: key.scopes,
    groups: key.groups,
    ipAllow: key.ipAllow ?? [],
    expiresAt: key.expiresAt === null ? null : dayjs(key.expiresAt),
  };
  return (
    <Dialog
      title={`${t('users.edit')} · ${key.accessKey}`}
      okText={t('groups.save')}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Form form={form} layout="vertical" initialValues={initial} onFinish={(values) => void attempt(() => save(values))}>
        <KeyFields kind={key.kind} />
        <ReasonField />
      </Form>
    </Dialog>
  );
}
