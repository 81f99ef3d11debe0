/** The load of each worker at one second of the demonstration. */
export interface LoadSample {
  second: number;
  workers: { id: string; active: number; begun: number }[];
}
export interface LoadVerdict {
  ok: boolean;
  /** Share of what was begun in the last seconds, by worker. */
  shares: Record<string, number>;
}

const BAR = 40;
/** A share between these is even enough for two. */
const EVEN = { least: 0.35, most: 0.65 };

/** One line for each worker: `  7 s  worker-1  ██████████  10 running, 21 begun`. */
export function sampleLines({ second, workers }: LoadSample, before?: LoadSample): string[] {
  return workers.map(({ id, active, begun }, place) => {
    const earlier = before?.workers.find((each) => each.id === id)?.begun ?? 0;
    const bar = '█'.repeat(Math.min(BAR, active)).padEnd(BAR);
    return `${place === 0 ? `${String(second).padStart(3)} s` : '     '}  ${id}  ${bar}  ${String(active).padStart(2)} running, ${begun - earlier} begun`;
  });
}

/** Judges the time between the two samples. */
export function verdictOf(from: LoadSample, to: LoadSample): LoadVerdict {
  const begun = to.workers.map(({ id, begun: all }) => ({
    id,
    n: all - (from.workers.find((each) => each.id === id)?.begun ?? 0),
  }));
  const total = begun.reduce((sum, { n }) => sum + n, 0);
  const shares = Object.fromEntries(begun.map(({ id, n }) => [id, total === 0 ? 0 : Math.round((n / total) * 100) / 100]));
  const even = Object.values(shares).every((share) => share >= EVEN.least && share <= EVEN.most);
  return { ok: begun.length === 2 && even, shares };
}
