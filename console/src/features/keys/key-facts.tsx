import { Alert, Descriptions } from 'antd';
import type { KeyView } from '../../../../src/admin/contract/keys.js';
import { Instant } from '../../components/instant';
import { WrittenText } from '../../components/written-text';
import { actorText } from '../../lib/actor-text';
import { useT } from '../../lib/i18n';
import { CallbackHosts } from './callback-hosts';
import { KeyState } from './key-state';
import { Expiry, LastUsed, RequestsOfDay } from './key-usage';

/** What a key may do, how it is used, and who made it. */
export function KeyFacts({ apiKey: key }: { apiKey: KeyView }) {
  const t = useT();
  return (
    <>
      {key.state === 'expired' && <Alert type="error" showIcon title={t('keys.expiredNow')} />}
      <Descriptions
        bordered
        size="small"
        column={{ xs: 1, sm: 2 }}
        items={[
          { key: 'state', label: t('task.state'), children: <KeyState apiKey={key} /> },
          { key: 'label', label: t('keys.label'), children: <WrittenText text={key.label} /> },
          { key: 'owner', label: t('keys.owner'), children: <bdi>{key.app?.name ?? key.groups.join(', ')}</bdi> },
          { key: 'scopes', label: t('keys.scopes'), children: key.scopes.join(', ') || '–' },
          { key: 'ip', label: t('keys.ipAllow'), children: key.ipAllow?.join(', ') ?? t('keys.anyAddress') },
          ...(key.app
            ? [
                {
                  key: 'hosts',
                  label: t('keys.hosts'),
                  children: <CallbackHosts hosts={key.callbackHosts} />,
                },
              ]
            : []),
          {
            key: 'secret',
            label: t('keys.mark'),
            children: (
              <span className="mono">
                …{key.last4} · {key.fingerprint}
              </span>
            ),
          },
          { key: 'used', label: t('keys.lastUsed'), children: <LastUsed apiKey={key} /> },
          { key: 'day', label: t('keys.day'), children: <RequestsOfDay lastDay={key.lastDay} /> },
          { key: 'expires', label: t('keys.expires'), children: <Expiry apiKey={key} /> },
          {
            key: 'created',
            label: t('keys.created'),
            children: (
              <span className="row" style={{ gap: 4 }}>
                <Instant at={key.createdAt} />
                {key.createdBy && <bdi title={key.createdBy}>{actorText(key.createdBy, t)}</bdi>}
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
