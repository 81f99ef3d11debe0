import { useParams, useSearch } from '@tanstack/react-router';
import { JsonText } from '../../components/json-text';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryFacts } from './delivery-facts';
import { NextTry } from './next-try';
import { RedeliverButton } from './redeliver-button';
import { RetrySteps } from './retry-steps';
import { useDelivery } from './use-delivery';
import { Wire } from './wire';
import './callbacks.css';

/** One event to one receiver: what is sent, every attempt of it, and sending it again. */
export function DeliveryPage() {
  const t = useT();
  const { deliveryId } = useParams({ strict: false }) as { deliveryId: string };
  const stated = one(useSearch({ strict: false }), 'attempt');
  const { query, changed } = useDelivery(deliveryId);
  return (
    <Page
      title={t('callbacks.delivery')}
      object={deliveryId}
      actions={query.data && <RedeliverButton delivery={query.data} onDone={changed} />}
    >
      <Loaded query={query} object={{ type: 'delivery', id: deliveryId }}>
        {(delivery) => {
          const wanted = Number(stated ?? delivery.log.length);
          const chosen = delivery.log.find(({ attempt }) => attempt === wanted);
          return (
            <>
              <DeliveryFacts delivery={delivery} />
              {delivery.failures !== null && (
                <div>
                  <h2>{t('callbacks.schedule')}</h2>
                  <RetrySteps plan={delivery.retry} failures={delivery.failures} next={<NextTry {...delivery} />} />
                </div>
              )}
              <div>
                <h2>{t('callbacks.attemptsTitle')}</h2>
                <span className="secondary">{t('callbacks.attemptsNote')}</span>
              </div>
              <DeliveryAttempts {...delivery} chosen={wanted} />
              {chosen && <Wire attempt={chosen} bodyText={delivery.bodyText} />}
              <div>
                <h2>{t('callbacks.body')}</h2>
                <JsonText text={delivery.bodyText} label={t('callbacks.body')} />
              </div>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
