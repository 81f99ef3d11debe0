import { Button, Tooltip } from 'antd';
import { type ReactNode, useState } from 'react';
import { useMay } from '../api/session';
import { useT } from '../lib/i18n';
import { type Action, ActionDialog, useAct } from './action';

export interface ActionButtonProps extends Action {
  primary?: boolean;
  icon?: ReactNode;
}

/** Every action that changes something: allowed or not and why, asked for in proportion, sent once, told how it ended. */
export function ActionButton(props: ActionButtonProps) {
  const { label, permission, group, object, blocked, confirm, danger, primary, icon } = props;
  const t = useT();
  const { busy, act } = useAct(props);
  const [open, setOpen] = useState(false);
  const may = useMay(permission, group);
  const why = !may ? t('error.needs', { permission }) : (blocked ?? null);

  return (
    <>
      <Tooltip title={why}>
        <Button
          danger={danger}
          type={primary ? 'primary' : 'default'}
          icon={icon}
          loading={busy}
          aria-disabled={why !== null}
          className={why === null ? undefined : 'is-disabled'}
          aria-label={[label, object, why].filter(Boolean).join(' – ')}
          onClick={() => {
            if (why !== null) return;
            if (confirm === 'none') void act();
            else setOpen(true);
          }}
        >
          {label}
        </Button>
      </Tooltip>
      {open && <ActionDialog action={props} close={() => setOpen(false)} />}
    </>
  );
}
