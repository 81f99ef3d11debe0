import type { Routing } from '@evenkeel/sdk/contract';
import type { Deed } from '../platform/witness.js';

/** What the log keeps of a change of how workers are chosen in all groups, whoever made it. */
export const routingDeed: Deed<Routing> = {
  action: 'settings.routing_changed',
  type: 'setting',
  id: () => 'routing',
  show: (routing) => ({ routing }),
};
