/** Milliseconds from which on work is too long to wait for in the request that submits it. */
export const FAST_PATH_MS = 3_000;

const KEPT = 64;
/** Fewer say nothing about a twentieth of them. */
const ENOUGH = 20;
const RECENT_MS = 15 * 60_000;
const HANDLERS = 10_000;

interface Sample {
  at: number;
  ms: number;
}

/**
 * The last run times of each handler of a group, as this node saw them end. Memory is bounded: 64 per handler, and the handler that
 * was heard of longest ago gives way. Only an estimate for people in a hurry: nothing may depend on it being there or right.
 */
export class RecentRunTimes {
  private readonly samples = new Map<string, Sample[]>();

  /** `now` is any monotonic clock in milliseconds, the same one for all calls. */
  add(groupId: number, handler: string, ms: number, now: number): void {
    const name = nameOf(groupId, handler);
    const kept = this.samples.get(name) ?? [];
    this.samples.delete(name);
    if (this.samples.size >= HANDLERS) this.samples.delete(this.samples.keys().next().value as string);
    kept.push({ at: now, ms });
    if (kept.length > KEPT) kept.shift();
    this.samples.set(name, kept);
  }

  /** The run time that nineteen of twenty recent runs stayed within; null while too few are known. */
  p95(groupId: number, handler: string, now: number): number | null {
    const recent = (this.samples.get(nameOf(groupId, handler)) ?? []).filter(({ at }) => now - at <= RECENT_MS);
    if (recent.length < ENOUGH) return null;
    const sorted = recent.map(({ ms }) => ms).sort((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
  }
}

const nameOf = (groupId: number, handler: string): string => `${groupId}:${handler}`;
