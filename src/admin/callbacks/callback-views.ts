import type { App } from '../../auth/apps.service.js';
import type { Delivery, DeliveryAttempt, Endpoint } from '../../callbacks/callbacks.js';
import { DISABLES, type TargetHealth } from '../../decisions/callback-circuit.js';
import { RETRY_PLAN } from '../../decisions/callback-schedule.js';
import type { TryHold } from '../../decisions/callback-turn.js';
import type {
  ConsoleDelivery,
  ConsoleDeliveryDetail,
  ConsoleEndpoint,
  EndpointFailing,
  EndpointFigures,
} from '../contract/callbacks.js';
import { appOf } from '../jobs/console-jobs.service.js';
import { iso, isoOrNull } from '../request-parts.js';

type Apps = ReadonlyMap<number, App>;

export const deliveryView = (delivery: Delivery, apps: Apps, hold: TryHold | undefined): ConsoleDelivery => ({
  id: delivery.id,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  app: appOf(delivery, apps),
  taskId: delivery.taskId,
  endpointId: delivery.endpointId,
  url: delivery.url,
  state: delivery.state,
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatus,
  lastFailure: delivery.lastFailure,
  nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
  hold: hold ? { reason: hold.reason, until: isoOrNull(hold.until) } : null,
  createdAt: iso(delivery.createdAt),
  endedAt: isoOrNull(delivery.endedAt),
});

export const attemptView = ({ startedAt, ...attempt }: DeliveryAttempt): ConsoleDeliveryDetail['log'][number] => ({
  ...attempt,
  startedAt: iso(startedAt),
});

/** Never its secrets. */
export const endpointView = (
  endpoint: Endpoint,
  apps: Apps,
  now: number,
  lastDay: EndpointFigures | undefined,
  health: TargetHealth | undefined,
): ConsoleEndpoint => ({
  id: endpoint.id,
  app: appOf(endpoint, apps),
  url: endpoint.url,
  eventTypes: endpoint.eventTypes,
  state: endpoint.state,
  stateReason: endpoint.stateReason,
  last4: endpoint.last4,
  secrets: endpoint.secrets.filter(({ until }) => until === null || until > now).length,
  verifiedAt: isoOrNull(endpoint.verifiedAt),
  disabledAt: isoOrNull(endpoint.disabledAt),
  createdAt: iso(endpoint.createdAt),
  updatedAt: iso(endpoint.updatedAt),
  lastDay: lastDay ?? null,
  failing: failingOf(health),
  retry: RETRY_PLAN,
});

function failingOf(health: TargetHealth | undefined): EndpointFailing | null {
  if (!health || health.failingSince === null) return null;
  return {
    since: iso(health.failingSince),
    failures: health.failuresSince,
    pausedUntil: isoOrNull(health.openUntil),
    disablesAt: iso(health.failingSince + DISABLES.afterMs),
    disablesAtFailures: DISABLES.failures,
  };
}
