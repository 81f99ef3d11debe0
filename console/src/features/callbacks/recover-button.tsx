import { App, Select } from 'antd';
import { type ReactNode, useId, useState } from 'react';
import type { ConsoleEndpoint, ReplayedMissing } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

const HOURS = [1, 6, 24, 72, 168, 720];
interface Props {
  endpoint: ConsoleEndpoint;
  onDone: () => void;
}

/** What was given up since then is tried once more; what succeeded or still waits is left alone. */
export function RecoverButton({ endpoint, onDone }: Props) {
  const t = useT();
  const { message } = App.useApp();
  return (
    <SinceButton
      {...{ endpoint, onDone }}
      label={t('callbacks.recover')}
      since={t('callbacks.recoverSince')}
      preview={t('callbacks.recoverPreview')}
      done={t('callbacks.recovered')}
      run={async (path, body) => {
        const answer = await api.post<{ recovered: number }>(`${path}/recover`, body);
        message.info(t('callbacks.recoveredCount', { n: answer.body.recovered }), 6);
        return answer;
      }}
    />
  );
}

/** It is told of the ends it has no delivery of. */
export function ReplayButton({ endpoint, onDone }: Props) {
  const t = useT();
  const { message } = App.useApp();
  return (
    <SinceButton
      {...{ endpoint, onDone }}
      label={t('callbacks.replay')}
      since={t('callbacks.replaySince')}
      preview={t('callbacks.replayPreview')}
      done={t('callbacks.replayed')}
      run={async (path, body) => {
        const answer = await api.post<ReplayedMissing>(`${path}/replay-missing`, body);
        const { queued, more } = answer.body;
        message.info(`${t('callbacks.replayedCount', { n: queued })} ${more ? t('callbacks.replayMore') : ''}`, 6);
        return answer;
      }}
    />
  );
}

interface SinceProps extends Props {
  label: string;
  since: string;
  preview: ReactNode;
  done: string;
  run: (path: string, body: { since: string; reason: string | undefined }) => ReturnType<typeof api.post>;
}

/** Asks how far back before it is done. */
function SinceButton({ endpoint: { id, state }, onDone, label, since, preview, done, run }: SinceProps) {
  const t = useT();
  const field = useId();
  const [hours, setHours] = useState(24);
  return (
    <ActionButton
      label={label}
      permission="keys.manage"
      group={null}
      object={id}
      confirm="dialog"
      blocked={state === 'ENABLED' ? null : t('callbacks.recoverBlocked')}
      preview={
        <div className="stack" style={{ gap: 4 }}>
          <span>{preview}</span>
          <label htmlFor={field}>{since}</label>
          <Select
            id={field}
            value={hours}
            options={HOURS.map((value) => ({ value, label: t('secret.hours', { n: value }) }))}
            onChange={setHours}
          />
        </div>
      }
      run={(reason) =>
        run(`callbacks/endpoints/${segment(id)}`, { since: new Date(Date.now() - hours * 3_600_000).toISOString(), reason })
      }
      done={done}
      onDone={onDone}
    />
  );
}
