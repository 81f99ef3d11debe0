import { ConfigProvider } from 'antd';
import { type ReactNode, useId } from 'react';
import type { Permission } from '../../../src/admin/contract/session.js';
import { useMay } from '../api/session';
import { useT } from '../lib/i18n';

/**
 * Fields that only who holds the permission can operate; everybody else reads them, and reads why not.
 *
 * @param group where it is to be held; null: anywhere at all
 */
export function Changeable({
  permission,
  group = null,
  children,
}: {
  permission: Permission;
  group?: string | null;
  children: ReactNode;
}) {
  const t = useT();
  const may = useMay(permission, group);
  const reasonId = useId();
  return (
    <ConfigProvider componentDisabled={!may}>
      <fieldset className="changeable" disabled={!may} aria-describedby={may ? undefined : reasonId}>
        {!may && (
          <span id={reasonId} className="state-late">
            {t('error.needs', { permission })}
          </span>
        )}
        {children}
      </fieldset>
    </ConfigProvider>
  );
}
