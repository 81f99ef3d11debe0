import type { Instant, Page } from './page.js';

export type DeliveryState = 'PENDING' | 'SUCCEEDED' | 'EXHAUSTED';
export interface ConsoleDelivery {
  id: string;
  eventId: string;
  eventType: string;
  app: { id: string; name: string } | null;
  taskId: string | null;
  /** Null for a task's own callbackUrl. */
  endpointId: string | null;
  url: string;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastFailure: string | null;
  /** When its schedule has it tried next. */
  nextAttemptAt: Instant | null;
  /** Why it is not tried then; null: it is, as soon as there is room, or there is no next try. */
  hold: DeliveryHold | null;
  createdAt: Instant;
  endedAt: Instant | null;
}
/**
 * `circuit_open`: its target keeps failing, so nothing is sent there before `until`; then one delivery that waits is sent, and if that
 * succeeds the others follow. All other reasons: it is given up unsent when it is due, unless that has changed by then.
 */
export interface DeliveryHold {
  reason: 'circuit_open' | 'endpoint_deleted' | 'endpoint_disabled' | 'endpoint_unproven' | 'endpoint_proven';
  /** Null for all but `circuit_open`. */
  until: Instant | null;
}
/** Answer of `GET /api/callbacks/deliveries?app=&endpoint=&state=&task=&job=&failing=true&since=`, newest first; of a job those of its newest 200 tasks. */
export type ConsoleDeliveries = Page<ConsoleDelivery>;
/** Answer of `GET /api/callbacks/deliveries/{id}` and of `POST …/redeliver`: one more attempt of the same delivery, at once. */
export interface ConsoleDeliveryDetail extends ConsoleDelivery {
  /** What every attempt sends, byte for byte. */
  bodyText: string | null;
  /** Failures of the schedule that is still going on, which `retry` draws as it is for this delivery; null: none is. */
  failures: number | null;
  retry: RetryPlan;
  /** Oldest first; never changed. `response`: the first KiB of the answer. */
  log: {
    attempt: number;
    trigger: 'auto' | 'manual';
    startedAt: Instant;
    durationMs: number;
    status: number | null;
    failure: string | null;
    response: string | null;
    /** Null for attempts of before it was kept. */
    wire: AttemptWire | null;
  }[];
}
/** How an attempt went on the wire. */
export interface AttemptWire {
  /** As they were sent, of signatures the first characters; null: nothing was sent. */
  requestHeaders: WireHeader[] | null;
  /** Milliseconds of each step that was reached. */
  timing: { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number };
  /** Bounded, and masked where they are named like secrets; null: no answer. */
  responseHeaders: WireHeader[] | null;
  /** What was read of the answer's body. */
  responseBytes: number;
  /** The answer was longer than what was read. */
  responseCut: boolean;
  /** The guard that refused the target: a rule of URLs, `host_not_verified`, `address` (what the name leads to), `own_port` or `peer`. */
  refusedBy: string | null;
}
export type WireHeader = readonly [name: string, value: string];
/** What happens after failures. */
export interface RetryPlan {
  /** Waits after the first, the second … failure; after as many the delivery is given up. */
  delaysMs: readonly number[];
  /** Each wait is up to this share shorter or longer. */
  jitter: number;
  /** After a sign of overload (429, 502, 503, 504, a timeout) it is at least so long. */
  overloadLeastMs: number;
  /** A delivery is given up when its target has been refused that often. */
  refusedAttempts: number;
  /** Attempts at `endpoint.verification`, all in all. */
  verificationAttempts: number;
}

export interface ConsoleEndpoint {
  id: string;
  app: { id: string; name: string } | null;
  url: string;
  eventTypes: string[];
  /** PENDING until it answered its challenge. */
  state: 'PENDING' | 'ENABLED' | 'DISABLED';
  stateReason: 'gone' | 'failing' | 'asked' | null;
  /** Of the newest secret. */
  last4: string;
  /** Secrets that sign now: more than one while a rotation's grace lasts. */
  secrets: number;
  verifiedAt: Instant | null;
  disabledAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
  /** In this hour and the twenty-three before it; null: nothing was sent to it. */
  lastDay: EndpointFigures | null;
  /** Since it last worked; null: it has not failed since then. */
  failing: EndpointFailing | null;
  retry: RetryPlan;
}
export interface EndpointFailing {
  since: Instant;
  failures: number;
  /** Nothing is sent before it: after repeated failures it is asked only now and then. Null: sent as events come. */
  pausedUntil: Instant | null;
  /** When it is disabled by itself if nothing succeeds until then and at least `disablesAtFailures` have failed. */
  disablesAt: Instant;
  disablesAtFailures: number;
}
/** Of attempts, not of deliveries: one that fails twice and then succeeds counts three times. */
export interface EndpointFigures {
  attempts: number;
  /** Answered 2xx. */
  succeeded: number;
  /** 95 % of the attempts took no longer (± 10 %); null if every target was refused. */
  p95Ms: number | null;
}
/** Answer of `GET /api/callbacks/endpoints?app=`. */
export interface ConsoleEndpoints {
  items: ConsoleEndpoint[];
}
/** Body of `POST /api/callbacks/endpoints/{id}/rotate-secret` and `POST /api/apps/{id}/callbacks/rotate-secret`: how long the old one signs along (86 400; 0 after a leak). */
export interface RotateWebhookSecret {
  graceSeconds?: number;
  reason?: string;
}
/** The only answer with the new secret. */
export interface RotatedEndpoint extends ConsoleEndpoint {
  secret: string;
}
/** Body of `POST /api/callbacks/endpoints/{id}/recover`: what was given up since then is tried once more. Answers `{ recovered }`. */
export interface RecoverDeliveries {
  since: Instant;
  reason?: string;
}
/**
 * Body of `POST /api/callbacks/endpoints/{id}/replay-missing`: of tasks made since then it is told of every end that it has no delivery
 * of, for instance because it was disabled.
 */
export interface ReplayMissing {
  since: Instant;
  reason?: string;
}
export interface ReplayedMissing {
  queued: number;
  /** There were more than are queued at once: ask again. */
  more: boolean;
}
/** Answer of `GET /api/apps/{id}/callbacks`: hosts its results may go to; none: no callback at all. */
export interface AppCallbacks {
  hosts: string[];
  /** Callbacks that wait to be sent, counted every few seconds; from `limit` on, submits that state a `callbackUrl` are refused. */
  pending: number;
  limit: number;
  /** Of the hosts; goes back with a change. */
  revision: string;
}
/** Body of `PUT /api/apps/{id}/callbacks`; a `revision` that is stated and stale gets 409 `version_conflict` with member `current` (AppCallbacks). */
export interface SetCallbackHosts {
  revision?: string;
  hosts: string[];
  reason?: string;
}
/** The first time, the only answer with the secret of callbacks without an endpoint. */
export interface SetCallbacks {
  hosts: string[];
  revision: string;
  secret: string | null;
}
