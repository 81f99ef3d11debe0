import { Select } from 'antd';
import { useId, useState } from 'react';
import type { ConsoleEndpoint, RotatedEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { OneTimeSecret } from '../../components/one-time-secret';
import { useT } from '../../lib/i18n';

const HOURS = [0, 1, 24, 168];

/** A new signing secret, shown once; how long the old one signs along is asked for before. */
export function RotateButton({ endpoint, onDone }: { endpoint: ConsoleEndpoint; onDone: () => void }) {
  const t = useT();
  const field = useId();
  const [hours, setHours] = useState(24);
  const [secret, setSecret] = useState<string | null>(null);
  const overlap = (value: number) => (value === 0 ? t('callbacks.noOverlap') : t('callbacks.hours', { n: value }));
  return (
    <>
      <ActionButton
        label={t('callbacks.rotate')}
        permission="keys.manage"
        group={null}
        object={endpoint.id}
        confirm="dialog"
        preview={
          <div className="stack" style={{ gap: 4 }}>
            <span>{t('callbacks.rotatePreview')}</span>
            {endpoint.secrets > 1 && <span className="state-late">{t('callbacks.rotateAgain', { n: endpoint.secrets })}</span>}
            <label htmlFor={field}>{t('callbacks.overlap')}</label>
            <Select
              id={field}
              value={hours}
              options={HOURS.map((value) => ({ value, label: overlap(value) }))}
              onChange={setHours}
            />
          </div>
        }
        run={async (reason) => {
          const body = { graceSeconds: hours * 3_600, reason };
          const answer = await api.post<RotatedEndpoint>(`callbacks/endpoints/${segment(endpoint.id)}/rotate-secret`, body);
          setSecret(answer.body.secret);
          return answer;
        }}
        done={t('callbacks.rotated')}
        onDone={onDone}
      />
      {secret !== null && (
        <OneTimeSecret
          title={t('callbacks.newSecret')}
          secret={secret}
          note={hours === 0 ? t('callbacks.oldEnded') : t('callbacks.oldUntil', { overlap: overlap(hours) })}
          close={() => setSecret(null)}
        />
      )}
    </>
  );
}
