import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { ConsoleDelivery, ConsoleEndpoint } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { ActionButton } from '../../components/action-button';
import { useT } from '../../lib/i18n';
import { NextTry } from './next-try';

/** One more attempt under the same id. A receiver that has it already is told again only by somebody who knows that. */
export function RedeliverButton({ delivery, onDone }: { delivery: ConsoleDelivery; onDone: () => void }) {
  const t = useT();
  const { id, endpointId, state, nextAttemptAt, hold } = delivery;
  const endpoint = useQuery({
    queryKey: ['callbacks', 'endpoint', endpointId],
    queryFn: ({ signal }) => api.get<ConsoleEndpoint>(`callbacks/endpoints/${segment(endpointId as string)}`, undefined, signal),
    enabled: endpointId !== null,
    retry: false,
  });
  const gone = endpointId !== null && endpoint.isError;
  const off = endpoint.data?.state === 'DISABLED';
  return (
    <ActionButton
      label={t('callbacks.redeliver')}
      permission="keys.manage"
      group={null}
      object={id}
      blocked={gone ? t('callbacks.endpointGone') : off ? t('callbacks.endpointOff') : null}
      confirm="dialog"
      primary
      preview={
        <div className="stack">
          {state === 'SUCCEEDED' && (
            <Alert type="warning" showIcon title={t('callbacks.hadSucceeded')} description={t('callbacks.hadSucceededWhy')} />
          )}
          <span>{t('callbacks.redeliverPreview')}</span>
          {state === 'PENDING' && nextAttemptAt !== null && (
            <span className="secondary">
              {t('callbacks.scheduleGoesOn')} <NextTry state={state} nextAttemptAt={nextAttemptAt} hold={hold} />
            </span>
          )}
        </div>
      }
      run={(reason) => api.post(`callbacks/deliveries/${segment(id)}/redeliver`, { reason })}
      done={t('callbacks.redelivered')}
      onDone={onDone}
    />
  );
}
