import { useState } from 'react';
import type { ConsoleEndpoint, RotatedEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { OneTimeSecret } from '../../components/one-time-secret';
import { OverlapChoice, USUAL_OVERLAP_HOURS, useOverlapText } from '../../components/overlap-choice';
import { useT } from '../../lib/i18n';

/** A new signing secret, shown once; how long the old one signs along is asked for before. */
export function RotateButton({ endpoint, onDone }: { endpoint: ConsoleEndpoint; onDone: () => void }) {
  const t = useT();
  const overlap = useOverlapText();
  const [hours, setHours] = useState(USUAL_OVERLAP_HOURS);
  const [secret, setSecret] = useState<string | null>(null);
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
            <OverlapChoice hours={hours} onChange={setHours} />
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
