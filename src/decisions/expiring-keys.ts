/** Days before its end at which a key is spoken of, each time more urgently. */
export const REMINDER_DAYS = [14, 3, 1] as const;
const DAY = 86_400_000;

interface EndingKey {
  accessKey: string;
  appId: number | null;
  state: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

/** Whole days until then, none begun. */
export const daysLeft = (expiresAt: number, now: number): number => Math.max(0, Math.floor((expiresAt - now) / DAY));

/**
 * Active keys that end within the first reminder, the first to end first. A key that is being rotated is left out as soon as nobody
 * has used it since there is a newer one: that it ends is what was asked for.
 */
export function expiringKeys<K extends EndingKey>(
  keys: readonly K[],
  now: number,
): (K & { expiresAt: number; daysLeft: number })[] {
  const active = keys.filter(({ state, expiresAt }) => state === 'active' && (expiresAt === null || expiresAt > now));
  const isReplaced = (key: K): boolean =>
    key.appId !== null &&
    active.some(
      (other) => other.appId === key.appId && other.createdAt > key.createdAt && (key.lastUsedAt ?? 0) < other.createdAt,
    );
  return active
    .flatMap((key) => (key.expiresAt === null ? [] : [{ ...key, expiresAt: key.expiresAt }]))
    .filter((key) => key.expiresAt < now + REMINDER_DAYS[0] * DAY && !isReplaced(key))
    .map((key) => ({ ...key, daysLeft: daysLeft(key.expiresAt, now) }))
    .sort((a, b) => a.expiresAt - b.expiresAt);
}
