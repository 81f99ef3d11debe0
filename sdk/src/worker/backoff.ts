/** Milliseconds before try number `failures` (1 = the first repetition): doubling, capped, between half and all of it at random. */
export function backoffMs(failures: number, firstMs: number, longestMs: number, random: number = Math.random()): number {
  const full = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs);
  return Math.round(full / 2 + (full / 2) * random);
}
