import { Button, Tooltip } from 'antd';
import type { Permission } from '../../../src/admin/contract/session.js';
import { useMay } from '../api/session';
import { useT } from '../lib/i18n';

interface EditButtonProps {
  object: string;
  permission: Permission;
  onClick: () => void;
  /** Among the actions of a page, not in a row. */
  large?: boolean;
  /** What it says, where there is more than one in a row. */
  label?: string;
}

/** Opens what something is changed with; for who may not, it says why not. */
export function EditButton({ object, permission, onClick, large, label }: EditButtonProps) {
  const t = useT();
  const may = useMay(permission);
  const text = label ?? t('users.edit');
  const why = may ? null : t('error.needs', { permission });
  return (
    <Tooltip title={why}>
      <Button
        size={large ? undefined : 'small'}
        aria-disabled={!may}
        className={may ? undefined : 'is-disabled'}
        aria-label={[`${text} ${object}`, why].filter(Boolean).join(' – ')}
        onClick={() => may && onClick()}
      >
        {text}
      </Button>
    </Tooltip>
  );
}
