import type { Sql } from '../ports.js';
import type { Endpoint } from './callbacks.js';

/** What the deliverer does of its own accord and people must be able to find later. */
export interface CallbackDeed {
  action: 'endpoint.disabled' | 'ssrf.blocked';
  object: { type: 'endpoint' | 'delivery'; id: string };
  before?: unknown;
  after?: unknown;
}

/** The log of such deeds: written in the transaction of the deed, so neither exists without the other. Implemented with the audit log. */
export abstract class CallbackTrail {
  abstract write(tx: Sql, deed: CallbackDeed): Promise<void>;
}

/** What a log keeps of an endpoint: of its secrets only which one is the newest. */
export const endpointFacts = ({ url, eventTypes, state, stateReason, last4, verifiedAt }: Endpoint) => ({
  url,
  eventTypes,
  state,
  stateReason,
  last4,
  verifiedAt: verifiedAt === null ? null : new Date(verifiedAt).toISOString(),
});
