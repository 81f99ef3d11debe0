/** What is known of a target since it last worked without failures. Instants are epoch milliseconds. */
export interface TargetHealth {
  consecutiveFailures: number;
  /** The last outcomes, oldest first, kept from the first failure on: [at, 1 for a success]. */
  outcomes: readonly (readonly [number, 0 | 1])[];
  /** Nothing is sent before it; one probe after it. Null: closed. */
  openUntil: number | null;
  /** How long it was open last; 0: never since it last closed. */
  openMs: number;
  /** The first failure since the last success; null after a success. */
  failingSince: number | null;
  failuresSince: number;
}
export const HEALTHY: TargetHealth = {
  consecutiveFailures: 0,
  outcomes: [],
  openUntil: null,
  openMs: 0,
  failingSince: null,
  failuresSince: 0,
};

const OPENS_AFTER = 5;
const SHARE = 0.6;
const LOOKED_AT = 20;
const WINDOW_MS = 5 * 60_000;
const FIRST_OPEN_MS = 60_000;
const LONGEST_OPEN_MS = 30 * 60_000;
const DISABLED_AFTER_MS = 5 * 24 * 3600_000;
const DISABLED_AFTER_FAILURES = 20;

/** What `isBeyondHope` goes by, for whoever is shown it. */
export const DISABLES = { afterMs: DISABLED_AFTER_MS, failures: DISABLED_AFTER_FAILURES };

/** Nothing of it would change with another success: it need not be written. */
export const isHealthy = (health: TargetHealth): boolean => health.failingSince === null && health.outcomes.length === 0;

/** The target after one more outcome. A probe that fails doubles the time it is open; one that succeeds closes it. */
export function afterOutcome(health: TargetHealth, succeeded: boolean, now: number, isProbe: boolean): TargetHealth {
  const recent = [...health.outcomes, [now, succeeded ? 1 : 0] as const].filter(([at]) => at > now - WINDOW_MS).slice(-LOOKED_AT);
  if (succeeded) {
    const stillFails = health.openUntil === null && recent.some(([, ok]) => ok === 0);
    return { ...HEALTHY, outcomes: stillFails ? recent : [] };
  }
  const consecutiveFailures = health.consecutiveFailures + 1;
  const failed = recent.filter(([, ok]) => ok === 0).length;
  const opens =
    health.openUntil !== null ||
    consecutiveFailures >= OPENS_AFTER ||
    (recent.length === LOOKED_AT && failed >= SHARE * LOOKED_AT);
  const wasOpen = !isProbe && health.openUntil !== null && health.openUntil > now;
  const openMs = wasOpen ? health.openMs : Math.min(LONGEST_OPEN_MS, health.openMs === 0 ? FIRST_OPEN_MS : health.openMs * 2);
  return {
    consecutiveFailures,
    outcomes: recent,
    openUntil: opens ? (wasOpen ? health.openUntil : now + openMs) : null,
    openMs: opens ? openMs : health.openMs,
    failingSince: health.failingSince ?? now,
    failuresSince: health.failuresSince + 1,
  };
}

/** Five days without one success and at least twenty failures: a registered endpoint is switched off. */
export const isBeyondHope = ({ failingSince, failuresSince }: TargetHealth, now: number): boolean =>
  failingSince !== null && now - failingSince >= DISABLED_AFTER_MS && failuresSince >= DISABLED_AFTER_FAILURES;
