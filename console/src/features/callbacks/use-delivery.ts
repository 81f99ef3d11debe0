import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ConsoleDeliveryDetail } from '../../../../src/admin/contract/callbacks.js';
import { api, segment } from '../../api/client';

/** One delivery, watched while it is on screen; `changed` is called when something was done to it. */
export function useDelivery(id: string) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['callbacks', 'delivery', id],
    queryFn: ({ signal }) => api.get<ConsoleDeliveryDetail>(`callbacks/deliveries/${segment(id)}`, undefined, signal),
  });
  return { query, changed: () => void client.invalidateQueries({ queryKey: ['callbacks'] }) };
}
