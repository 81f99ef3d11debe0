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
const LONGEST_MS = 24 * 3600_000;
const KEPT = 100;

/**
 * Waits `ms`, then works through its part of `items` (a number of them, or a list of keys), `msPerItem` for each: tells its progress, logs, and keeps a
 * checkpoint, so that a repeated attempt goes on where the one before stood. `failAfter` items the first attempt fails. Not a shard:
 * everything is its part.
 */
export async function shards(params: unknown, ctx: AttemptContext): Promise<ShardsResult> {
  const { keys, ms, msPerItem, failAfter } = shardsParams(params);
  const mine = keys.filter((key) => ctx.shard?.owns(key) ?? true);
  const resumedAfter = ctx.restored<{ done: number }>()?.done ?? 0;
  ctx.log.info('working through my part', { owned: mine.length, of: keys.length, index: ctx.shard?.index, resumedAfter });
  await pause(ms, ctx);
  for (let done = resumedAfter; done < mine.length; ) {
    if (failAfter !== undefined && ctx.attempt === 1 && done >= failAfter)
      throw new Error(`fails after ${done} items, as it was told`);
    await pause(msPerItem, ctx);
    done++;
    ctx.progress(done / mine.length);
    ctx.checkpoint({ done });
  }
  return { owned: mine.length, items: mine.slice(0, KEPT), resumedAfter };
}

async function pause(ms: number, { signal }: AttemptContext): Promise<void> {
  if (ms > 0)
    await delay(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
}

interface ShardsParams {
  keys: string[];
  ms: number;
  msPerItem: number;
  failAfter: number | undefined;
}

function shardsParams(params: unknown): ShardsParams {
  const stated = (params ?? {}) as { items?: unknown; ms?: unknown; msPerItem?: unknown; failAfter?: unknown };
  const { items = 100, failAfter } = stated;
  const ms = milliseconds('ms', stated.ms);
  const msPerItem = milliseconds('msPerItem', stated.msPerItem);
  if (failAfter !== undefined && !(Number.isSafeInteger(failAfter) && (failAfter as number) >= 0))
    throw new NonRetryableError('failAfter: must be an integer from 0');
  return { keys: keysFrom(items), ms, msPerItem, failAfter: failAfter as number | undefined };
}

function milliseconds(name: string, value: unknown = 0): number {
  if (typeof value === 'number' && value >= 0 && value <= LONGEST_MS) return value;
  throw new NonRetryableError(`${name}: must be a number from 0 to ${LONGEST_MS}`);
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
