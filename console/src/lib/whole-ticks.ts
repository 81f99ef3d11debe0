/** Distances between the ticks of an axis that has no half: of counts, and of milliseconds where nothing has been measured yet. */
export const WHOLE = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 1e7, 1e8].flatMap((size) => [size, 2 * size, 5 * size]);

type Drawn = readonly { values: readonly (number | null)[] }[];

/** `counts`: the values are told as plain numbers, not as lengths of time or shares. */
export function hasWholeTicks(series: Drawn, counts: boolean): boolean {
  return series.every(({ values }) => values.every((value) => value === null || (counts && Number.isInteger(value))));
}
