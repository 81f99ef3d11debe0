import type { HashRing } from './hash-ring.js';

/** One worker as the choice sees it at one moment. */
export interface Candidate {
  workerId: string;
  incarnation: string;
  /** Attempts running there: reported, plus ordered since that report, minus answered since. */
  active: number;
  /** Attempts waiting in the worker's own queue. */
  queued: number;
  /** How many more orders it may be given now; never exceeded. */
  available: number;
  /** How many attempts it runs at once for the group in question. */
  slots: number;
  /** Mean run time of its attempts over 5 minutes, in milliseconds. */
  avgCostMs: number;
  /** 0 to 100, over one minute. */
  cpuIdlePercent: number;
  /** Above 0 and at most 1: the share of its normal load a worker that just started is given. */
  warmth: number;
  zone: string | null;
  /** Its share of a hash ring; 100 is that of four cores. */
  weight: number;
}

/**
 * What one chooser remembers between batches. Losing it costs nothing but a little evenness; it must not be shared between
 * calls whose candidates have nothing in common.
 */
export interface BalanceState {
  /** Round robin: the worker chosen last. */
  lastWorkerId: string | null;
  /** Equal cost: points of load held against workers that were chosen more often than the others lately. */
  handicaps: Map<string, number>;
  /** Consistent hash: the ring made last. */
  ring?: HashRing;
}

export const newBalanceState = (): BalanceState => ({ lastWorkerId: null, handicaps: new Map() });

/** A strategy: `count` choices among candidates that all have room. `random` returns numbers in [0, 1). */
export type Strategy = (
  count: number,
  candidates: readonly Candidate[],
  state: BalanceState,
  random: () => number,
  /** One for each choice; only strategies that go by a key look at them. */
  keys: readonly string[],
) => (Candidate | null)[];
