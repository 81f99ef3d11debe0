import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Descriptions } from 'antd';
import type { UserDetail } from '../../../../src/admin/contract/users.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { Instant } from '../../components/instant';
import { Loaded } from '../../components/loaded';
import { Peek } from '../../components/peek';
import { type Translate, useCodeText, useT } from '../../lib/i18n';
import { UserRights } from './user-rights';
import { UserSessions } from './user-sessions';

/** One person beside the list: what they may do and where, where they are signed in, and taking either away. */
export function UserPeek({
  username,
  group,
  onGroup,
  close,
}: {
  username: string;
  /** Whose rights are asked about; absent: those of every group. */
  group: string | undefined;
  onGroup: (group: string | undefined) => void;
  close: () => void;
}) {
  const t = useT();
  const code = useCodeText();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['users', 'detail', username],
    queryFn: ({ signal }) => api.get<UserDetail>(`users/${segment(username)}`, undefined, signal),
  });
  return (
    <Peek title={<bdi>{username}</bdi>} close={close}>
      <Loaded query={query}>
        {(user) => (
          <>
            <Descriptions
              bordered
              size="small"
              column={1}
              items={[
                { key: 'role', label: t('users.role'), children: code('role', user.role) },
                {
                  key: 'grants',
                  label: t('users.grants'),
                  children: <bdi>{grantsText(user.grants, (role) => code('role', role), t)}</bdi>,
                },
                { key: 'state', label: t('task.state'), children: t(user.disabled ? 'users.disabled' : 'users.enabled') },
                { key: 'last', label: t('users.lastSignIn'), children: <Instant at={user.lastSignInAt} /> },
                { key: 'created', label: t('keys.created'), children: <Instant at={user.createdAt} /> },
              ]}
            />
            <UserRights user={user} group={group} onGroup={onGroup} />
            <UserSessions username={username} />
            <div>
              <ActionButton
                label={t('users.delete')}
                permission="users.manage"
                group={null}
                object={username}
                danger
                confirm="name"
                run={(reason) => api.delete(`users/${segment(username)}`, { reason })}
                done={t('users.deleted')}
                onDone={() => {
                  void client.invalidateQueries({ queryKey: ['users'], exact: true });
                  close();
                }}
              />
            </div>
          </>
        )}
      </Loaded>
    </Peek>
  );
}

export const grantsText = (grants: Record<string, string>, role: (code: string) => string, t: Translate): string =>
  Object.entries(grants)
    .map(([group, granted]) => `${group}${t('punctuation.colon')}${role(granted)}`)
    .join(t('punctuation.comma')) || '–';
