import { useParams } from '@tanstack/react-router';
import { JsonText } from '../../components/json-text';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryFacts } from './delivery-facts';
import { RedeliverButton } from './redeliver-button';
import { useDelivery } from './use-delivery';
import './callbacks.css';

/** One event to one receiver: what is sent, every attempt of it, and sending it again. */
export function DeliveryPage() {
  const t = useT();
  const { deliveryId } = useParams({ strict: false }) as { deliveryId: string };
  const { query, changed } = useDelivery(deliveryId);
  return (
    <Page
      title={t('callbacks.delivery')}
      object={deliveryId}
      actions={query.data && <RedeliverButton delivery={query.data} onDone={changed} />}
    >
      <Loaded query={query}>
        {(delivery) => (
          <>
            <DeliveryFacts delivery={delivery} />
            <div>
              <h2>{t('callbacks.attemptsTitle')}</h2>
              <span className="secondary">{t('callbacks.attemptsNote')}</span>
            </div>
            <DeliveryAttempts {...delivery} />
            <div>
              <h2>{t('callbacks.body')}</h2>
              <JsonText text={delivery.bodyText} label={t('callbacks.body')} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}
