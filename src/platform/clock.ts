/**
 * The time all nodes agree on: the database's, sampled every 10 s and carried forward by the monotonic clock, so that a jump of
 * this machine's wall clock neither hurries nor delays anything. Before the first sample it is this machine's own time.
 */
export abstract class Clock {
  /** Epoch milliseconds by the database's clock. Never goes backwards by more than a corrected sample (logged above 500 ms). */
  abstract now(): number;
  /** Milliseconds since an arbitrary start; unaffected by any clock change. For leases, time-outs and ages of messages. */
  abstract monotonic(): number;
}
