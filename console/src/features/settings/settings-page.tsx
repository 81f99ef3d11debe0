import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Alert, Descriptions, Skeleton } from 'antd';
import type { SettingsView } from '../../../../src/admin/contract/system.js';
import { api } from '../../api/client';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { VARIABLES_ZH } from '../../i18n/variables';
import { useCodeText, useT } from '../../lib/i18n';
import { usePreferences } from '../../lib/preferences';
import { durationText } from '../../lib/times';
import { DefaultRouting } from './default-routing';
import { EnvironmentPanel } from './environment';
import { LiveFloorPanel } from './live-floor';
import { Maintenance } from './maintenance';

type Variable = SettingsView['variables'][number];
type Kept = SettingsView['retention'][number];

/** What this installation is set to. What has no panel of its own is changed in the environment of its nodes, not here. */
export function SettingsPage() {
  const t = useT();
  const code = useCodeText();
  const { language } = usePreferences();
  const meaningOf = ({ name, description }: Variable) => (language === 'zh-CN' && VARIABLES_ZH[name]) || description;
  const query = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.get<SettingsView>('settings', undefined, signal),
  });
  const settings = query.data;
  const columns: Column<Variable>[] = [
    { key: 'name', title: t('settings.variable'), cell: ({ name }) => <code>{name}</code> },
    {
      key: 'value',
      title: t('settings.value'),
      cell: ({ secret, stated, value }) =>
        secret ? stated ? t('settings.secretSet') : '–' : <bdi className="mono">{value ?? '–'}</bdi>,
    },
    { key: 'stated', title: t('settings.from'), cell: ({ stated }) => t(stated ? 'settings.stated' : 'settings.default') },
    { key: 'description', title: t('settings.description'), cell: (variable) => meaningOf(variable) },
  ];
  const kept: Column<Kept>[] = [
    { key: 'kind', title: t('settings.kept'), cell: ({ kind }) => t(`settings.kept.${kind}`) },
    {
      key: 'for',
      title: t('settings.keptFor'),
      cell: ({ keptMs }) => (keptMs === null ? t('settings.forEver') : durationText(keptMs, t)),
    },
    { key: 'rows', title: t('settings.rows'), numeric: true, cell: ({ aboutRows }) => `≈ ${aboutRows.toLocaleString()}` },
    { key: 'oldest', title: t('settings.oldest'), cell: ({ oldestAt }) => <Instant at={oldestAt} /> },
  ];
  return (
    <Page title={t('nav.settings')} actions={<Link to="/system">{t('system.title')}</Link>}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!settings && !query.error && <Skeleton active />}
      {settings && (
        <>
          {!settings.defaultTimeZoneStated && (
            <Alert type="warning" showIcon title={t('settings.zoneUnset', { zone: settings.defaultTimeZone })} />
          )}
          <Descriptions
            bordered
            size="small"
            column={{ xs: 1, sm: 2, lg: 3 }}
            items={[
              { key: 'version', label: t('settings.version'), children: settings.version },
              { key: 'mode', label: t('settings.mode'), children: t(`settings.mode.${settings.mode}`) },
              { key: 'zone', label: t('settings.zone'), children: settings.defaultTimeZone },
              { key: 'url', label: t('settings.publicUrl'), children: settings.publicUrl ?? '–' },
              { key: 'path', label: t('settings.publicPath'), children: <code>{settings.publicPath}</code> },
              {
                key: 'session',
                label: t('settings.session'),
                children: t('settings.sessionText', {
                  idle: durationText(settings.session.idleMs, t),
                  max: durationText(settings.session.maxMs, t),
                }),
              },
              { key: 'priority', label: t('task.priority'), children: settings.defaults.priority },
              { key: 'timeout', label: t('task.timeout'), children: durationText(settings.defaults.timeoutMs, t) },
              { key: 'running', label: t('groups.maxRunning'), children: settings.defaults.maxRunning },
              { key: 'pending', label: t('groups.maxPending'), children: settings.defaults.maxPending.toLocaleString() },
              { key: 'overlap', label: t('settings.overlap'), children: code('overlap', settings.defaults.overlap) },
              { key: 'misfire', label: t('settings.misfire'), children: code('misfire', settings.defaults.misfire) },
            ]}
          />
          <Maintenance />
          <DefaultRouting />
          <EnvironmentPanel />
          <LiveFloorPanel />
          <DataTable
            label={t('settings.retention')}
            columns={kept}
            rows={settings.retention}
            rowId={({ kind }) => kind}
            empty=""
          />
          <DataTable
            label={t('settings.variables')}
            columns={columns}
            rows={settings.variables}
            rowId={({ name }) => name}
            empty=""
          />
        </>
      )}
    </Page>
  );
}
