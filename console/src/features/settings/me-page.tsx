import { useQuery, useQueryClient } from '@tanstack/react-query';
import { App, Button, Form, Input, Segmented, Switch } from 'antd';
import type { SessionEntry } from '../../../../src/admin/contract/session.js';
import { api, segment } from '../../api/client';
import { isLivePaused, live } from '../../api/live';
import { useSession } from '../../api/session';
import { useSite } from '../../api/site';
import { useAttempt } from '../../components/attempt';
import { type Column, DataTable } from '../../components/data-table';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { ZoneChoice } from '../../components/zone-choice';
import { browserName } from '../../lib/browser-name';
import { useT } from '../../lib/i18n';
import { LANDINGS, LIVE_SECONDS, type Preferences, setPreferences, usePreferences } from '../../lib/preferences';
import { durationText } from '../../lib/times';

const LANDING_NAMES = {
  '/overview': 'nav.overview',
  '/tasks': 'nav.tasks',
  '/jobs': 'nav.jobs',
  '/workers': 'nav.workers',
  '/callbacks': 'nav.callbacks',
} as const;

/** Who wants no updates has them paused here and on every page opened later; any other choice goes on. */
function chooseLive(liveSeconds: Preferences['liveSeconds']): void {
  setPreferences({ liveSeconds });
  if (liveSeconds === 0) live.pause();
  else if (isLivePaused()) live.resume();
}

/** One's own choices, password and sessions. */
export function MePage() {
  const t = useT();
  const session = useSession();
  const prefs = usePreferences();
  const { liveFloorSeconds = 1 } = useSite() ?? {};
  const { liveSeconds } = prefs;
  return (
    <Page title={t('user.preferences')} object={session?.username}>
      <section className="panel choices" aria-label={t('user.preferences')}>
        <span>{t('me.language')}</span>
        <Segmented
          aria-label={t('me.language')}
          value={prefs.language}
          options={[
            { value: 'zh-CN' as const, label: '中文' },
            { value: 'en' as const, label: 'English' },
          ]}
          onChange={(language) => setPreferences({ language })}
        />
        <span>{t('shell.zone')}</span>
        <div className="row">
          <ZoneChoice />
        </div>
        <span>{t('me.theme')}</span>
        <Segmented
          aria-label={t('me.theme')}
          value={prefs.theme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`theme.${value}`) }))}
          onChange={(theme) => setPreferences({ theme })}
        />
        <span>{t('me.density')}</span>
        <Segmented
          aria-label={t('me.density')}
          value={prefs.density}
          options={(['compact', 'comfortable'] as const).map((value) => ({ value, label: t(`me.density.${value}`) }))}
          onChange={(density) => setPreferences({ density })}
        />
        <span>{t('me.landing')}</span>
        <Segmented
          aria-label={t('me.landing')}
          value={prefs.landing}
          options={LANDINGS.map((value) => ({ value, label: t(LANDING_NAMES[value]) }))}
          onChange={(landing) => setPreferences({ landing })}
        />
        <span>{t('me.live')}</span>
        <Segmented
          aria-label={t('me.live')}
          value={liveSeconds > 0 && liveSeconds < liveFloorSeconds ? liveFloorSeconds : liveSeconds}
          options={LIVE_SECONDS.filter((value) => value === 0 || value >= liveFloorSeconds).map((value) => ({
            value,
            label: value === 0 ? t('me.live.off') : durationText(value * 1_000, t),
          }))}
          onChange={chooseLive}
        />
        <span>{t('me.shortcuts')}</span>
        <div className="row">
          <Switch
            aria-label={t('me.shortcuts')}
            checked={prefs.shortcuts}
            onChange={(shortcuts) => setPreferences({ shortcuts })}
          />
        </div>
      </section>
      <PasswordForm />
      <Sessions />
    </Page>
  );
}

function PasswordForm() {
  const t = useT();
  const { message } = App.useApp();
  const [form] = Form.useForm<{ currentPassword: string; newPassword: string }>();
  const { busy, attempt } = useAttempt(form);
  async function change(values: { currentPassword: string; newPassword: string }) {
    await api.post('session/password', values);
    form.resetFields();
    message.success(t('me.passwordChanged'));
  }
  return (
    <section className="panel" aria-label={t('me.password')} style={{ maxWidth: 480 }}>
      <h2>{t('me.password')}</h2>
      <Form form={form} layout="vertical" onFinish={(values) => void attempt(() => change(values))}>
        <Form.Item name="currentPassword" label={t('me.currentPassword')} rules={[{ required: true }]}>
          <Input.Password autoComplete="current-password" />
        </Form.Item>
        <Form.Item name="newPassword" label={t('me.newPassword')} rules={[{ required: true }]}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Button htmlType="submit" loading={busy}>
          {t('groups.save')}
        </Button>
      </Form>
    </section>
  );
}

function Sessions() {
  const t = useT();
  const client = useQueryClient();
  const list = useQuery({
    queryKey: ['own-sessions'],
    queryFn: ({ signal }) => api.get<{ items: SessionEntry[] }>('session/all', undefined, signal),
  });
  const columns: Column<SessionEntry>[] = [
    { key: 'seen', title: t('me.seen'), cell: ({ seenAt }) => <Instant at={seenAt} /> },
    { key: 'created', title: t('keys.created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    { key: 'address', title: t('audit.address'), cell: ({ address }) => address ?? '' },
    {
      key: 'agent',
      title: t('me.browser'),
      cell: ({ userAgent }) => <bdi title={userAgent ?? undefined}>{browserName(userAgent) ?? ''}</bdi>,
    },
    {
      key: 'end',
      title: t('users.actions'),
      cell: ({ id, current }) =>
        current ? (
          t('me.current')
        ) : (
          <Button
            size="small"
            aria-label={`${t('me.end')} ${id}`}
            onClick={async () => {
              await api.delete(`session/all/${segment(id)}`);
              await client.invalidateQueries({ queryKey: ['own-sessions'] });
            }}
          >
            {t('me.end')}
          </Button>
        ),
    },
  ];
  return (
    <section aria-label={t('users.sessions')}>
      <h2>{t('users.sessions')}</h2>
      <DataTable label={t('users.sessions')} columns={columns} rows={list.data?.items} rowId={({ id }) => id} empty="" />
    </section>
  );
}
