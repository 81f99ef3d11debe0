import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Button, Form, Input } from 'antd';
import { useEffect, useState } from 'react';
import type { SessionView } from '../../../../src/admin/contract/session.js';
import { ApiError, api } from '../../api/client';
import { SESSION_KEY, useSession } from '../../api/session';
import { forgetAnswers, tellTabsOfSession } from '../../api/session-watch';
import { useSite } from '../../api/site';
import { EnvironmentBadge, environmentColour } from '../../components/environment';
import { useWindowTitle } from '../../components/page';
import { problemTitle } from '../../lib/field-errors';
import { useT } from '../../lib/i18n';
import { preferences, setPreferences, usePreferences } from '../../lib/preferences';
import './login.css';

/** Says the same of a wrong name and a wrong password. Whoever is signed in, here or in another tab, is where they wanted to be. */
export function LoginPage() {
  const t = useT();
  const { language } = usePreferences();
  const site = useSite();
  const environment = site?.environment;
  useWindowTitle(t('login.signIn'));
  const { next } = useSearch({ strict: false }) as { next?: string };
  const navigate = useNavigate();
  const client = useQueryClient();
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const [caps, setCaps] = useState(false);
  const signedIn = useSession() !== null;
  useEffect(() => {
    // Only a path of this console: never another site's.
    const target = next?.startsWith('/') && !next.startsWith('//') ? next : preferences().landing;
    if (signedIn) void navigate({ href: target, replace: true });
  }, [signedIn, next, navigate]);

  async function signIn(values: { username: string; password: string }) {
    setBusy(true);
    setError(null);
    try {
      const { body } = await api.post<SessionView>('session', values);
      forgetAnswers(client);
      client.setQueryData(SESSION_KEY, body);
      tellTabsOfSession();
    } catch (problem) {
      setError(problem instanceof ApiError ? problem : null);
    } finally {
      setBusy(false);
    }
  }

  return (
    <main
      className={environment?.production ? 'login is-production' : 'login'}
      style={environment ? environmentColour(environment) : undefined}
    >
      <div className="panel login-panel stack">
        <div className="spread">
          <h1>{t('login.title')}</h1>
          <Button type="text" onClick={() => setPreferences({ language: language === 'zh-CN' ? 'en' : 'zh-CN' })}>
            {language === 'zh-CN' ? 'English' : '中文'}
          </Button>
        </div>
        {environment && (
          <div className="row">
            <EnvironmentBadge environment={environment} />
          </div>
        )}
        {error && (
          <Alert
            type="error"
            showIcon
            role="alert"
            title={error.code === 'auth_failed' ? t('login.wrong') : problemTitle(error, language)}
            description={error.retryAfterSeconds ? t('error.retryIn', { n: error.retryAfterSeconds }) : undefined}
          />
        )}
        <Form layout="vertical" onFinish={signIn} requiredMark={false}>
          <Form.Item name="username" label={t('login.username')} rules={[{ required: true }]}>
            <Input autoFocus autoComplete="username" maxLength={64} />
          </Form.Item>
          <Form.Item
            name="password"
            label={t('login.password')}
            rules={[{ required: true }]}
            extra={caps ? t('login.caps') : undefined}
          >
            <Input.Password
              autoComplete="current-password"
              maxLength={1024}
              onKeyUp={(event) => setCaps(event.getModifierState?.('CapsLock') ?? false)}
            />
          </Form.Item>
          <Button type="primary" htmlType="submit" block loading={busy}>
            {t('login.signIn')}
          </Button>
        </Form>
      </div>
    </main>
  );
}
