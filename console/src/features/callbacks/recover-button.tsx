import { App, Select } from 'antd';
import { useId, useState } from 'react';
import type { ConsoleEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

const HOURS = [1, 6, 24, 72, 168, 720];

/** What was given up since then is tried once more; what succeeded or still waits is left alone. */
export function RecoverButton({ endpoint: { id, state }, onDone }: { endpoint: ConsoleEndpoint; onDone: () => void }) {
  const t = useT();
  const field = useId();
  const { message } = App.useApp();
  const [hours, setHours] = useState(24);
  return (
    <ActionButton
      label={t('callbacks.recover')}
      permission="keys.manage"
      group={null}
      object={id}
      confirm="dialog"
      blocked={state === 'ENABLED' ? null : t('callbacks.recoverBlocked')}
      preview={
        <div className="stack" style={{ gap: 4 }}>
          <span>{t('callbacks.recoverPreview')}</span>
          <label htmlFor={field}>{t('callbacks.recoverSince')}</label>
          <Select
            id={field}
            value={hours}
            options={HOURS.map((value) => ({ value, label: t('secret.hours', { n: value }) }))}
            onChange={setHours}
          />
        </div>
      }
      run={async (reason) => {
        const since = new Date(Date.now() - hours * 3_600_000).toISOString();
        const answer = await api.post<{ recovered: number }>(`callbacks/endpoints/${segment(id)}/recover`, { since, reason });
        message.info(t('callbacks.recoveredCount', { n: answer.body.recovered }), 6);
        return answer;
      }}
      done={t('callbacks.recovered')}
      onDone={onDone}
    />
  );
}
