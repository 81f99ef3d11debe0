/** Milliseconds of the machine's monotonic clock: the same clock in every process, so instants of two processes may be subtracted. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The monotonic instant of a wall-clock instant, exact to the millisecond of `Date.now`. */
export const monotonicOf = (wallMs: number): number => monotonicMs() + (wallMs - Date.now());

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
