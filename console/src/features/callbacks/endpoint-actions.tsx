import type { ConsoleEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { RotateSecret } from '../../components/rotate-secret';
import { useT } from '../../lib/i18n';
import { RecoverButton, ReplayButton } from './recover-button';

/** What an operator may do with an endpoint; making, changing and deleting it are its partner's. */
export function EndpointActions({ endpoint, onDone }: { endpoint: ConsoleEndpoint; onDone: () => void }) {
  const t = useT();
  const path = `callbacks/endpoints/${segment(endpoint.id)}`;
  const common = { permission: 'keys.manage', group: null, object: endpoint.id, onDone } as const;
  const off = endpoint.state === 'DISABLED';
  return (
    <>
      <ActionButton
        {...common}
        label={t('callbacks.test')}
        confirm="dialog"
        preview={<span>{t('callbacks.testPreview')}</span>}
        blocked={endpoint.state === 'ENABLED' ? null : t('callbacks.testBlocked')}
        run={(reason) => api.post(`${path}/test`, { reason })}
        done={t('callbacks.tested')}
      />
      {off ? (
        <ActionButton
          {...common}
          label={t('callbacks.enable')}
          confirm="dialog"
          preview={<span>{t('callbacks.enablePreview')}</span>}
          run={(reason) => api.post(`${path}/enable`, { reason })}
          done={t('callbacks.enabled')}
        />
      ) : (
        <ActionButton
          {...common}
          label={t('callbacks.pause')}
          danger
          confirm="dialog"
          preview={<span>{t('callbacks.pausePreview')}</span>}
          run={(reason) => api.post(`${path}/disable`, { reason })}
          done={t('callbacks.paused')}
        />
      )}
      <RecoverButton endpoint={endpoint} onDone={onDone} />
      <ReplayButton endpoint={endpoint} onDone={onDone} />
      <RotateSecret path={path} object={endpoint.id} secrets={endpoint.secrets} onDone={onDone} />
    </>
  );
}
