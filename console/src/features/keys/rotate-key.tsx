import { useState } from 'react';
import type { CreatedKey, KeyView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { OverlapChoice, USUAL_OVERLAP_HOURS } from '../../components/overlap-choice';
import { useT } from '../../lib/i18n';
import { SecretOnce } from './secret-once';

/** A second pair like this one, its secret shown once; how long this one goes on beside it is asked for before. */
export function RotateKey({ apiKey, onDone }: { apiKey: KeyView; onDone: () => void }) {
  const t = useT();
  const [hours, setHours] = useState(USUAL_OVERLAP_HOURS);
  const [made, setMade] = useState<CreatedKey | null>(null);
  return (
    <>
      <ActionButton
        label={t('keys.rotate')}
        permission="keys.manage"
        group={null}
        object={apiKey.accessKey}
        confirm="dialog"
        preview={
          <div className="stack" style={{ gap: 4 }}>
            <span>{t('keys.rotatePreview')}</span>
            <OverlapChoice hours={hours} onChange={setHours} />
          </div>
        }
        run={async (reason) => {
          const body = { overlapSeconds: hours * 3_600, reason };
          const answer = await api.post<CreatedKey>(`keys/${segment(apiKey.accessKey)}/rotate`, body);
          setMade(answer.body);
          return answer;
        }}
        done={t('keys.rotated')}
        onDone={onDone}
      />
      {made && <SecretOnce made={made} close={() => setMade(null)} />}
    </>
  );
}
