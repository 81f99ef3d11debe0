/** Counts of durations by bucket; four buckets double, so a percentile is right to about ten percent. */
export type DurationHistogram = Record<number, number>;

const PER_DOUBLING = 4;
const LAST = 160;

export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.min(LAST, 1 + Math.floor(Math.log2(ms) * PER_DOUBLING));
}

/** Middle of a bucket, in milliseconds. */
const middleOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / PER_DOUBLING));

export function addDuration(histogram: DurationHistogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

export function mergeInto(histogram: DurationHistogram, other: DurationHistogram): void {
  for (const [bucket, count] of Object.entries(other)) histogram[Number(bucket)] = (histogram[Number(bucket)] ?? 0) + count;
}

/** Milliseconds below which these parts (0 to 1) of all durations lie; null without any. */
export function percentiles(histogram: DurationHistogram, parts: readonly number[]): { values: number[]; count: number } | null {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  const count = buckets.reduce((sum, [, n]) => sum + n, 0);
  if (count === 0) return null;
  const values = parts.map((part) => {
    let left = Math.max(1, Math.ceil(part * count));
    for (const [bucket, n] of buckets) {
      left -= n;
      if (left <= 0) return Math.round(middleOf(bucket));
    }
    return Math.round(middleOf((buckets.at(-1) as readonly [number, number])[0]));
  });
  return { values, count };
}
