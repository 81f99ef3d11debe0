/** An event about a task, the challenge of an endpoint, or a test that somebody asked for. */
export type DeliveryKind = 'event' | 'challenge' | 'test';
/** Null: it was deleted; undefined: a task's own callbackUrl, which is nobody's endpoint. */
export type ReceiverState = 'PENDING' | 'ENABLED' | 'DISABLED' | null | undefined;

/** Why a delivery whose turn has come is given up without an attempt. */
export type Unwanted = 'endpoint_deleted' | 'endpoint_disabled' | 'endpoint_unproven' | 'endpoint_proven';

/** An endpoint hears its challenge while it is unproven, and all else once it is enabled or when somebody asks. Null: it is sent. */
export function unwanted(receiver: ReceiverState, kind: DeliveryKind, isAskedFor: boolean): Unwanted | null {
  if (receiver === undefined) return null;
  if (receiver === null) return 'endpoint_deleted';
  if (kind === 'challenge') {
    if (receiver === 'PENDING') return null;
    return receiver === 'ENABLED' ? 'endpoint_proven' : 'endpoint_disabled';
  }
  if (receiver === 'ENABLED' || isAskedFor) return null;
  return receiver === 'PENDING' ? 'endpoint_unproven' : 'endpoint_disabled';
}

/** Nothing is sent to a target whose circuit is open; after that one delivery is let through. */
export const isHeldBack = (openUntil: number | null, at: number): boolean => openUntil !== null && openUntil > at;

/** Why the next try of a delivery is not made when it is due. Instants are epoch milliseconds. */
export interface TryHold {
  reason: 'circuit_open' | Unwanted;
  /** When the circuit lets one delivery through; null: nothing is waited for, it is given up when it is due. */
  until: number | null;
}

/** As the deliverer decides when its turn comes, from what is known now. Null: it is sent when it is due, as soon as there is room. */
export function holdOf(dueAt: number, kind: DeliveryKind, receiver: ReceiverState, openUntil: number | null): TryHold | null {
  const reason = unwanted(receiver, kind, false);
  if (reason !== null) return { reason, until: null };
  return isHeldBack(openUntil, dueAt) ? { reason: 'circuit_open', until: openUntil } : null;
}
