import { useNavigate } from '@tanstack/react-router';
import { Button, Dropdown } from 'antd';
import { api } from '../api/client';
import { SESSION_KEY, useSession } from '../api/session';
import { tellTabsOfSession } from '../api/session-watch';
import { endDrafts } from '../features/jobs/draft';
import { useT } from '../lib/i18n';
import { setPreferences, usePreferences } from '../lib/preferences';
import { mayLeave } from '../lib/unsaved';
import { queryClient } from './providers';

export function UserMenu() {
  const t = useT();
  const session = useSession();
  const { theme, language } = usePreferences();
  const navigate = useNavigate();
  async function signOut() {
    if (!(await mayLeave())) return;
    await api.delete('session');
    if (session) endDrafts(session.username);
    tellTabsOfSession();
    queryClient.clear();
    queryClient.setQueryData(SESSION_KEY, null);
    await navigate({ to: '/login', ignoreBlocker: true });
  }
  return (
    <>
      <Button
        type="text"
        aria-label={language === 'zh-CN' ? 'EN: switch to English' : '中：切换为中文'}
        onClick={() => setPreferences({ language: language === 'zh-CN' ? 'en' : 'zh-CN' })}
      >
        {language === 'zh-CN' ? 'EN' : '中'}
      </Button>
      <Dropdown
        trigger={['click']}
        menu={{
          selectedKeys: [theme],
          items: [
            { key: 'system', label: t('theme.system') },
            { key: 'light', label: t('theme.light') },
            { key: 'dark', label: t('theme.dark') },
            { type: 'divider' },
            { key: 'me', label: t('user.preferences') },
            { key: 'out', label: t('user.signOut') },
          ],
          onClick: ({ key }) => {
            if (key === 'out') void signOut();
            else if (key === 'me') void navigate({ to: '/me' });
            else setPreferences({ theme: key as typeof theme });
          },
        }}
      >
        <Button type="text">{session?.username ?? '…'}</Button>
      </Dropdown>
    </>
  );
}
