import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Descriptions, Skeleton } from 'antd';
import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { ErrorPanel } from '../../components/error-panel';
import { Instant } from '../../components/instant';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { KeySiblings } from './key-siblings';
import { KeyState } from './key-state';
import { RotateKey } from './rotate-key';

export function KeyPage() {
  const t = useT();
  const { accessKey } = useParams({ strict: false }) as { accessKey: string };
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = `keys/${segment(accessKey)}`;
  const query = useQuery({
    queryKey: ['keys', 'detail', accessKey],
    queryFn: ({ signal }) => api.get<KeyView>(path, undefined, signal),
  });
  const key = query.data;
  const refresh = () => void client.invalidateQueries({ queryKey: ['keys'] });
  const common = { permission: 'keys.manage', group: null, object: accessKey } as const;
  return (
    <Page
      title={t('keys.key')}
      object={accessKey}
      actions={
        key &&
        (key.state === 'active' ? (
          <>
            <RotateKey apiKey={key} onDone={refresh} />
            <ActionButton
              {...common}
              label={t('keys.disable')}
              danger
              confirm="dialog"
              preview={
                <span>
                  {t('keys.disablePreview')} <Instant at={key.lastUsedAt} />
                </span>
              }
              run={(reason) => api.post(`${path}/disable`, { reason })}
              done={t('keys.disabled')}
              onDone={refresh}
            />
          </>
        ) : (
          <>
            <ActionButton
              {...common}
              label={t('keys.enable')}
              confirm="dialog"
              blocked={key.state === 'expired' ? t('keys.expiredNow') : null}
              run={(reason) => api.post(`${path}/enable`, { reason })}
              done={t('keys.enabled')}
              onDone={refresh}
            />
            <ActionButton
              {...common}
              label={t('users.delete')}
              danger
              confirm="name"
              run={(reason) => api.delete(path, { reason })}
              done={t('users.deleted')}
              onDone={() => {
                refresh();
                void navigate({ to: '/keys' });
              }}
            />
          </>
        ))
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!key && !query.error && <Skeleton active />}
      {key && (
        <Descriptions
          bordered
          size="small"
          column={{ xs: 1, sm: 2 }}
          items={[
            { key: 'state', label: t('task.state'), children: <KeyState apiKey={key} /> },
            { key: 'label', label: t('keys.label'), children: <bdi>{key.label}</bdi> },
            { key: 'owner', label: t('keys.owner'), children: <bdi>{key.app?.name ?? key.groups.join(', ')}</bdi> },
            { key: 'scopes', label: t('keys.scopes'), children: key.scopes.join(', ') || '–' },
            { key: 'ip', label: t('keys.ipAllow'), children: key.ipAllow?.join(', ') ?? t('keys.anyAddress') },
            {
              key: 'secret',
              label: t('keys.secret'),
              children: (
                <span className="mono">
                  …{key.last4} · {key.fingerprint}
                </span>
              ),
            },
            { key: 'used', label: t('keys.lastUsed'), children: <Instant at={key.lastUsedAt} /> },
            { key: 'expires', label: t('keys.expires'), children: <Instant at={key.expiresAt} /> },
            { key: 'created', label: t('keys.created'), children: <Instant at={key.createdAt} /> },
          ]}
        />
      )}
      {key?.app && <KeySiblings app={key.app} />}
    </Page>
  );
}
