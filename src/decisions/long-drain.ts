/** A drain without a deadline is long after this. */
export const LONG_DRAIN_MS = 300_000;

interface DrainFacts {
  /** Who asked for it, if somebody did: epoch milliseconds. */
  drain: { at: number; deadlineAt: number | null } | null;
  drainingForMs: number | null;
}

/** Whether a worker that still has work drains for longer than was meant: past its deadline, or past several minutes. */
export function drainsForLong({ drain, drainingForMs }: DrainFacts, now: number): boolean {
  if (drain !== null) return now >= (drain.deadlineAt ?? drain.at + LONG_DRAIN_MS);
  return drainingForMs !== null && drainingForMs >= LONG_DRAIN_MS;
}
