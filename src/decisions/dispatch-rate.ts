/** What a holder remembers of a group's starts. */
export interface RateBucket {
  /** The holder's term it belongs to: another term begins anew. */
  epoch: number;
  tokens: number;
  /** Monotonic milliseconds at which `tokens` was right. */
  at: number;
}

/**
 * What may be saved up: one start and a tenth of a second's worth, so that hardly more than the rate fits into any one second and a tick
 * that comes late costs no start.
 */
export const burstOf = (perSecond: number): number => 1 + perSecond / 10;

/**
 * The bucket at `now`. A new term begins with an empty one: what the holder before it started last is not known here, and so both
 * together never start more than one holder would have.
 */
export function refilled(bucket: RateBucket | undefined, perSecond: number, epoch: number, now: number): RateBucket {
  if (!bucket || bucket.epoch !== epoch) return { epoch, tokens: 0, at: now };
  const tokens = Math.min(burstOf(perSecond), bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1000);
  return { epoch, tokens, at: now };
}

/** Whole starts the bucket allows now. The tolerance is for sums of tenths that fall short of a whole one. */
export const startsAllowed = ({ tokens }: RateBucket): number => Math.floor(tokens + 1e-6);

export const spent = (bucket: RateBucket, starts: number): RateBucket => ({ ...bucket, tokens: bucket.tokens - starts });

/** Milliseconds until the next start is allowed; 0 if one is. */
export const nextStartInMs = ({ tokens }: RateBucket, perSecond: number): number =>
  startsAllowed({ tokens } as RateBucket) > 0 ? 0 : Math.ceil(((1 - tokens) * 1000) / perSecond);
