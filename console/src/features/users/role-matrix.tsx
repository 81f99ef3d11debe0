import type { RolesAnswer } from '../../../../src/admin/contract/users.js';
import { type Column, DataTable } from '../../components/data-table';
import { useCodeText, useT } from '../../lib/i18n';

const ROLES = ['viewer', 'operator', 'admin'] as const;

/** What each role may do, as the server enforces it. */
export function RoleMatrix({ roles }: { roles: RolesAnswer }) {
  const t = useT();
  const code = useCodeText();
  const columns: Column<string>[] = [
    {
      key: 'permission',
      title: t('users.permission'),
      cell: (permission) => (
        <>
          {code('permission', permission)} <code className="secondary">{permission}</code>
        </>
      ),
    },
    ...ROLES.map((role) => ({
      key: role,
      title: code('role', role),
      cell: (permission: string) =>
        (roles.roles[role] as readonly string[]).includes(permission) ? (
          <span className="state-succeeded" role="img" aria-label={t('users.allowed')}>
            ✓
          </span>
        ) : (
          <span className="secondary" role="img" aria-label={t('users.notAllowed')}>
            –
          </span>
        ),
    })),
    {
      key: 'scope',
      title: t('users.scope'),
      cell: (permission) =>
        (roles.globalOnly as readonly string[]).includes(permission) ? t('users.globalOnly') : t('users.perGroup'),
    },
  ];
  return (
    <section aria-label={t('users.roles')}>
      <h2>{t('users.roles')}</h2>
      <DataTable
        label={t('users.roles')}
        columns={columns}
        rows={roles.roles.admin}
        rowId={(permission) => permission}
        empty=""
      />
    </section>
  );
}
