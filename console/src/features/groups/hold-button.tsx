import { useState } from 'react';
import type { GroupView } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { HoldTime, untilIn } from '../../components/hold-time';
import { useT } from '../../lib/i18n';

/** Stops dispatch, not acceptance; perhaps only for a while. */
export function HoldButton({
  group,
  blocked,
  onDone,
}: {
  group: GroupView;
  /** Why there is nothing to hold. */
  blocked: string | null;
  onDone: () => void;
}) {
  const t = useT();
  const [minutes, setMinutes] = useState(0);
  return (
    <ActionButton
      label={t('groups.hold')}
      permission="groups.hold"
      group={group.key}
      object={group.key}
      blocked={blocked}
      danger
      confirm="dialog"
      reasonRequired
      preview={
        <div className="stack" style={{ gap: 4 }}>
          <span>{t('groups.holdPreview')}</span>
          <HoldTime minutes={minutes} onChange={setMinutes} />
        </div>
      }
      run={(reason) => api.post(`groups/${segment(group.key)}/hold`, { reason, ...untilIn(minutes) })}
      done={t('groups.heldNow')}
      onDone={onDone}
    />
  );
}
