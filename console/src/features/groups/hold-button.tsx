import { Select } from 'antd';
import { useId, useState } from 'react';
import type { GroupView } from '../../../../src/admin/contract/groups.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';

const MINUTES = [0, 10, 30, 60, 240, 1440];

/** Stops dispatch, not acceptance; perhaps only for a while. */
export function HoldButton({ group, onDone }: { group: GroupView; onDone: () => void }) {
  const t = useT();
  const id = useId();
  const [minutes, setMinutes] = useState(0);
  return (
    <ActionButton
      label={t('groups.hold')}
      permission="groups.hold"
      group={group.key}
      object={group.key}
      danger
      confirm="dialog"
      reasonRequired
      preview={
        <div className="stack" style={{ gap: 4 }}>
          <span>{t('groups.holdPreview')}</span>
          <label htmlFor={id}>{t('groups.holdFor')}</label>
          <Select
            id={id}
            value={minutes}
            options={MINUTES.map((value) => ({
              value,
              label: value === 0 ? t('groups.holdOpen') : t('groups.minutes', { n: value }),
            }))}
            onChange={setMinutes}
          />
        </div>
      }
      run={(reason) =>
        api.post(`groups/${segment(group.key)}/hold`, {
          reason,
          ...(minutes > 0 ? { until: new Date(Date.now() + minutes * 60_000).toISOString() } : {}),
        })
      }
      done={t('groups.heldNow')}
      onDone={onDone}
    />
  );
}
