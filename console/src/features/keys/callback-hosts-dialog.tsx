import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useState } from 'react';
import type { AppCallbacks, SetCallbacks } from '../../../../src/admin/contract/callbacks.js';
import type { AppView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { useAttempt } from '../../components/attempt';
import { Dialog } from '../../components/dialog';
import { Loaded } from '../../components/loaded';
import { OneTimeSecret } from '../../components/one-time-secret';
import { ReasonField } from '../../components/reason-field';
import { RotateSecret } from '../../components/rotate-secret';
import { useT } from '../../lib/i18n';
import { useReturnFocus } from '../../lib/return-focus';

interface HostsForm {
  hosts: string[];
  reason?: string;
}

/** Where the results of a partner may go, and the secret that signs its callbacks without an endpoint: made with the first hosts, shown once. */
export function CallbackHostsDialog({ app, close }: { app: AppView; close: () => void }) {
  // The secret takes the place of the hosts: only this one was opened by somebody.
  useReturnFocus();
  const t = useT();
  const client = useQueryClient();
  const [form] = Form.useForm<HostsForm>();
  const { busy, attempt } = useAttempt(form);
  const [secret, setSecret] = useState<string | null>(null);
  const path = `apps/${segment(app.id)}/callbacks`;
  const query = useQuery({
    queryKey: ['callback-hosts', app.id],
    queryFn: ({ signal }) => api.get<AppCallbacks>(path, undefined, signal),
    // What is edited stays what was read when it was opened, and the next time it is read anew.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const refresh = () => void client.invalidateQueries({ queryKey: ['keys'] });
  async function save({ hosts, reason }: HostsForm) {
    const body = { revision: query.data?.revision, hosts, reason: reason || undefined };
    const answer = await api.put<SetCallbacks>(path, body).finally(refresh);
    if (answer.body.secret === null) close();
    else setSecret(answer.body.secret);
  }
  if (secret !== null)
    return <OneTimeSecret title={t('callbacks.newSecret')} note={t('keys.hostsSecret')} secret={secret} close={close} />;
  return (
    <Dialog
      title={
        <span>
          {t('keys.callbacks')} · <bdi>{app.name}</bdi>
        </span>
      }
      okText={t('groups.save')}
      okButtonProps={{ disabled: !query.data }}
      cancelText={t('action.back')}
      confirmLoading={busy}
      onCancel={close}
      onOk={() => form.submit()}
    >
      <Loaded query={query}>
        {({ hosts, pending, limit }) => (
          <div className="stack">
            <Form form={form} layout="vertical" initialValues={{ hosts }} onFinish={(values) => void attempt(() => save(values))}>
              <Form.Item name="hosts" label={t('keys.hosts')} extra={t('keys.hostsHint')}>
                <Select mode="tags" tokenSeparators={[',', ' ']} open={false} />
              </Form.Item>
              <ReasonField />
            </Form>
            <span className="secondary">{t('keys.pendingOf', { pending, limit })}</span>
            <div className="stack" style={{ gap: 4, alignItems: 'start' }}>
              <span className="secondary">{t('keys.hostsSecret')}</span>
              <RotateSecret path={path} object={app.name} onDone={refresh} />
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
