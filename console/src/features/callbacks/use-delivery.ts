import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ConsoleDeliveryDetail } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';
import { useLookAgain } from '../../api/look-again';

/** One delivery, watched while it is on screen; `changed` is called when something was done to it. */
export function useDelivery(id: string) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['callbacks', 'delivery', id],
    queryFn: ({ signal }) => api.get<ConsoleDeliveryDetail>(`callbacks/deliveries/${segment(id)}`, undefined, signal),
    refetchInterval: useLookAgain(2_000),
  });
  return { query, changed: () => void client.invalidateQueries({ queryKey: ['callbacks'] }) };
}
