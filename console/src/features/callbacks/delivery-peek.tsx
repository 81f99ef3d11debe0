import { segment } from '../../api/client';
import { Loaded } from '../../components/loaded';
import { Peek } from '../../components/peek';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryFacts } from './delivery-facts';
import { RedeliverButton } from './redeliver-button';
import { useDelivery } from './use-delivery';

/** A delivery at a glance, beside the list it was found in. */
export function DeliveryPeek({ id, close }: { id: string; close: () => void }) {
  const { query, changed } = useDelivery(id);
  return (
    <Peek title={<code>{query.data?.eventType ?? id}</code>} to={`/callbacks/deliveries/${segment(id)}`} close={close}>
      <Loaded query={query}>
        {(delivery) => (
          <>
            <div className="row">
              <RedeliverButton delivery={delivery} onDone={changed} />
            </div>
            <DeliveryFacts delivery={delivery} narrow />
            <DeliveryAttempts {...delivery} narrow />
          </>
        )}
      </Loaded>
    </Peek>
  );
}
