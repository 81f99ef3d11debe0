import type { AttemptClass, AttemptFacts } from '../decisions/callback-schedule.js';
import type { WireRecord } from '../decisions/wire-record.js';

export type EndpointState = 'PENDING' | 'ENABLED' | 'DISABLED';
export type DisabledReason = 'gone' | 'failing' | 'asked';
export type DeliveryState = 'PENDING' | 'SUCCEEDED' | 'EXHAUSTED';
export type SendTrigger = 'auto' | 'manual';
export type CallFailureWord = NonNullable<AttemptFacts['failure']>;

/** A sealed secret; `until` (epoch milliseconds) for one that was rotated out. */
export interface SealedSecret {
  box: string;
  until: number | null;
}

/** Instants are epoch milliseconds. */
export interface Endpoint {
  id: string;
  appId: number;
  url: string;
  eventTypes: string[];
  state: EndpointState;
  stateReason: DisabledReason | null;
  secrets: SealedSecret[];
  last4: string;
  challenge: string;
  verifiedAt: number | null;
  disabledAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface Delivery {
  id: string;
  eventId: string;
  eventType: string;
  appId: number;
  taskId: string | null;
  endpointId: string | null;
  url: string;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastFailure: CallFailureWord | null;
  nextAttemptAt: number | null;
  createdAt: number;
  endedAt: number | null;
}

export interface DeliveryAttempt {
  attempt: number;
  trigger: SendTrigger;
  startedAt: number;
  durationMs: number;
  status: number | null;
  failure: CallFailureWord | null;
  response: string | null;
  /** Null for attempts of before it was kept. */
  wire: WireRecord | null;
}

/** A send that this node holds the lease of, with all an attempt needs. */
export interface ClaimedSend {
  id: string;
  lease: string;
  target: string;
  trigger: SendTrigger;
  failures: number;
  blocks: number;
  /** Since when it waits, in epoch milliseconds. */
  createdAt: number;
  deliveryId: string;
  eventId: string;
  eventType: string;
  body: string;
  appId: number;
  url: string;
  /** Attempts made before this one. */
  attempts: number;
  endpointId: string | null;
  /** Null when the endpoint is gone, and for a task's own callbackUrl. */
  endpoint: Pick<Endpoint, 'state' | 'secrets' | 'challenge'> | null;
}

/** What one attempt came to. */
export interface AttemptResult extends AttemptFacts {
  startedAt: number;
  durationMs: number;
  response: string | null;
  wire?: WireRecord;
  class: AttemptClass;
  /** The answer to the challenge was right. */
  verified?: boolean;
}
