import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptContext, NonRetryableError } from '@evenkeel/sdk/worker';

interface ShardsResult {
  /** How many of the items were this shard's. */
  owned: number;
  /** The first 100 of them. */
  items: string[];
  /** How many an earlier attempt had done. */
  resumedAfter: number;
}

const MOST_ITEMS = 100_000;
const LONGEST_MS = 60_000;
const KEPT = 100;

/**
 * Works through its part of `items` (a number of them, or a list of keys), `msPerItem` for each: tells its progress, logs, and keeps a
 * checkpoint, so that a repeated attempt goes on where the one before stood. `failAfter` items the first attempt fails. Not a shard:
 * everything is its part.
 */
export async function shards(params: unknown, ctx: AttemptContext): Promise<ShardsResult> {
  const { keys, msPerItem, failAfter } = shardsParams(params);
  const mine = keys.filter((key) => ctx.shard?.owns(key) ?? true);
  const resumedAfter = ctx.restored<{ done: number }>()?.done ?? 0;
  ctx.log.info('working through my part', { owned: mine.length, of: keys.length, index: ctx.shard?.index, resumedAfter });
  for (let done = resumedAfter; done < mine.length; ) {
    if (failAfter !== undefined && ctx.attempt === 1 && done >= failAfter)
      throw new Error(`fails after ${done} items, as it was told`);
    if (msPerItem > 0)
      await delay(msPerItem, undefined, { signal: ctx.signal }).catch(() => {
        throw ctx.signal.reason;
      });
    done++;
    ctx.progress(done / mine.length);
    ctx.checkpoint({ done });
  }
  return { owned: mine.length, items: mine.slice(0, KEPT), resumedAfter };
}

function shardsParams(params: unknown): { keys: string[]; msPerItem: number; failAfter: number | undefined } {
  const {
    items = 100,
    msPerItem = 0,
    failAfter,
  } = (params ?? {}) as { items?: unknown; msPerItem?: unknown; failAfter?: unknown };
  if (typeof msPerItem !== 'number' || !(msPerItem >= 0 && msPerItem <= LONGEST_MS))
    throw new NonRetryableError(`msPerItem: must be a number from 0 to ${LONGEST_MS}`);
  if (failAfter !== undefined && !(Number.isSafeInteger(failAfter) && (failAfter as number) >= 0))
    throw new NonRetryableError('failAfter: must be an integer from 0');
  return { keys: keysFrom(items), msPerItem, failAfter: failAfter as number | undefined };
}

function keysFrom(items: unknown): string[] {
  if (Number.isSafeInteger(items) && (items as number) >= 0 && (items as number) <= MOST_ITEMS)
    return Array.from({ length: items as number }, (_, n) => `item-${n + 1}`);
  if (
    Array.isArray(items) &&
    items.length <= MOST_ITEMS &&
    items.every((key) => typeof key === 'string' || typeof key === 'number')
  )
    return items.map(String);
  throw new NonRetryableError(`items: must be a number up to ${MOST_ITEMS}, or a list of so many strings or numbers`);
}
