import { Button, Tooltip } from 'antd';
import type { Permission } from '../../../src/admin/contract/session.js';
import { useMay } from '../api/session';
import { useT } from '../lib/i18n';

/** Opens what a row is changed with; for who may not, it says why not. */
export function EditButton({ object, permission, onClick }: { object: string; permission: Permission; onClick: () => void }) {
  const t = useT();
  const may = useMay(permission);
  const why = may ? null : t('error.needs', { permission });
  return (
    <Tooltip title={why}>
      <Button
        size="small"
        aria-disabled={!may}
        className={may ? undefined : 'is-disabled'}
        aria-label={[`${t('users.edit')} ${object}`, why].filter(Boolean).join(' – ')}
        onClick={() => may && onClick()}
      >
        {t('users.edit')}
      </Button>
    </Tooltip>
  );
}
