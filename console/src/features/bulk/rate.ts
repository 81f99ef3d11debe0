import { useEffect, useState } from 'react';
import type { BulkView } from '../../../../src/admin/contract/bulk.js';

/** How many items had been dealt with at an instant. */
export interface Sample {
  at: number;
  dealt: number;
}
const LOOK_BACK_MS = 30_000;

export const dealtWith = ({ done, skipped, failed }: Pick<BulkView, 'done' | 'skipped' | 'failed'>): number =>
  done + skipped + failed;

/** With one more, and without what is too old to tell how fast it goes now. */
export function noted(samples: readonly Sample[], sample: Sample): Sample[] {
  const former = samples.at(-1);
  if (former && sample.at <= former.at) return [...samples];
  return [...samples.filter(({ at }) => sample.at - at <= LOOK_BACK_MS), sample];
}

/** Items a second between the first of them and the last; null if that cannot be said. */
export function perSecond(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return null;
  return ((last.dealt - first.dealt) * 1_000) / (last.at - first.at);
}

/**
 * Items a second: of one that has ended over all its time, pauses included; of one that runs as it was seen to go during the last half
 * minute. Null while it is paused, and before it was seen twice.
 */
export function useRate(bulk: BulkView | undefined, seenAt: number): number | null {
  const [seen, setSeen] = useState<Sample[]>([]);
  const runs = bulk?.state === 'running';
  const dealt = bulk ? dealtWith(bulk) : 0;
  useEffect(() => setSeen((former) => (runs ? noted(former, { at: seenAt, dealt }) : [])), [runs, seenAt, dealt]);
  if (bulk?.endedAt) return perSecond([startOf(bulk), { at: Date.parse(bulk.endedAt), dealt }]);
  return runs ? perSecond(seen) : null;
}

const startOf = ({ createdAt }: BulkView): Sample => ({ at: Date.parse(createdAt), dealt: 0 });

export const rateText = (rate: number): string => String(Number(rate.toFixed(rate < 10 ? 1 : 0)));
