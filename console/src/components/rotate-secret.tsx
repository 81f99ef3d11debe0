import { useState } from 'react';
import { api } from '../api/client';
import { useT } from '../lib/i18n';
import { ActionButton } from './action-button';
import { OneTimeSecret } from './one-time-secret';
import { OverlapChoice, USUAL_OVERLAP_HOURS, useOverlapText } from './overlap-choice';

interface RotateSecretProps {
  /** Of what has the secret. */
  path: string;
  /** Its name. */
  object: string;
  /** How many sign now, where that is known. */
  secrets?: number;
  onDone: () => void;
}

/** A new signing secret, shown once; how long the old one signs along is asked for before. */
export function RotateSecret({ path, object, secrets, onDone }: RotateSecretProps) {
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
        object={object}
        confirm="dialog"
        preview={
          <div className="stack" style={{ gap: 4 }}>
            <span>{t('callbacks.rotatePreview')}</span>
            {secrets !== undefined && secrets > 1 && (
              <span className="state-late">{t('callbacks.rotateAgain', { n: secrets })}</span>
            )}
            <OverlapChoice hours={hours} onChange={setHours} />
          </div>
        }
        run={async (reason) => {
          const body = { graceSeconds: hours * 3_600, reason };
          const answer = await api.post<{ secret: string }>(`${path}/rotate-secret`, body);
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
