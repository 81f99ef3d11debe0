import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import type { GroupList } from '../../../../src/admin/contract/groups.js';
import type { RolesAnswer, UserDetail } from '../../../../src/admin/contract/users.js';
import { api } from '../../api/client';
import { useCodeText, useT } from '../../lib/i18n';

/** What somebody may do in a group, or in every one, as the server decides it; each with its code, as refusals name it. */
export function UserRights({
  user,
  group,
  onGroup,
}: {
  user: UserDetail;
  group: string | undefined;
  onGroup: (group: string | undefined) => void;
}) {
  const t = useT();
  const code = useCodeText();
  const groups = useQuery({
    queryKey: ['groups', 'list'],
    queryFn: ({ signal }) => api.get<GroupList>('groups', undefined, signal),
  });
  const roles = useQuery({ queryKey: ['roles'], queryFn: ({ signal }) => api.get<RolesAnswer>('roles', undefined, signal) });
  const here = group === undefined ? [] : (user.groupPermissions[group] ?? []);
  const held = new Set<string>([...user.permissions, ...here]);
  const keys = [...new Set([...(groups.data?.items.map(({ key }) => key) ?? []), ...(group === undefined ? [] : [group])])];
  return (
    <section className="stack" aria-label={t('users.mayDo')}>
      <div className="spread">
        <h2>{t('users.mayDo')}</h2>
        <Select
          allowClear
          showSearch
          style={{ width: 200 }}
          aria-label={t('users.mayIn')}
          placeholder={t('users.everywhere')}
          value={group}
          options={keys.map((key) => ({ value: key, label: key }))}
          onChange={(chosen: string | undefined) => onGroup(chosen)}
        />
      </div>
      {user.disabled && <span className="state-late">{t('users.disabledMayNothing')}</span>}
      <ul className="rights">
        {roles.data?.roles.admin.map((permission) => {
          const may = held.has(permission);
          return (
            <li key={permission} data-may={may}>
              <span aria-hidden="true" className={may ? 'state-succeeded' : 'secondary'}>
                {may ? '✓' : '–'}
              </span>
              <span>
                {code('permission', permission)}
                <span className="visually-hidden">{`: ${t(may ? 'users.allowed' : 'users.notAllowed')}`}</span>
              </span>
              <code className="secondary">{permission}</code>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
