import { setImmediate as turn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Ticker } from '../../platform/ticker.js';
import { SqlDialect } from '../../ports.js';
import { StreamHub } from '../stream/stream-hub.js';
import type { Author } from '../trail.js';
import { type BulkItemRow, type BulkOperation, BulkStore } from './bulk.store.js';
import { BulkActions, type BulkItem } from './bulk-actions.js';
import { itemDetail } from './item-detail.js';

const EVERY_MS = 2_000;
const CHUNK = 25;
const CLAIM_MS = 30_000;

/**
 * Works bulk operations off, 25 items at a time, on one node per operation. What is done to an item and that it is done are one
 * transaction; the operation's cursor and counts move in another, after the chunk. If the process dies in between, the next node
 * finds the items of that chunk that are done and only counts them, also those that the filter finds no more for what was done to them:
 * none is acted on twice. Two nodes on one operation (a claim
 * outlived by a stall) meet at the items' primary key and at the cursor, and the slower one stops.
 */
@Injectable()
export class BulkRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('bulk');
  private stopping = false;
  private readonly ticker = new Ticker(() => this.round(), {
    everyMs: EVERY_MS,
    onError: (err) => this.logger.warn({ msg: 'a bulk operation was interrupted, trying again', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: BulkStore,
    private readonly actions: BulkActions,
    private readonly hub: StreamHub,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.ticker.stop();
  }

  /** Something was started or goes on. */
  wake(): void {
    this.ticker.wake();
  }

  private async round(): Promise<void> {
    for (const id of await this.store.running(this.dialect.root)) {
      while (!this.stopping && (await this.chunk(id))) this.hub.touch(['bulk']);
    }
  }

  /** False when there is nothing more to do for this node. */
  private async chunk(id: string): Promise<boolean> {
    const { root } = this.dialect;
    const node = this.config.nodeId;
    if (!(await this.store.claim(root, id, node, Math.floor(this.clock.now()), CLAIM_MS))) return false;
    const operation = (await this.store.find(root, id)) as BulkOperation;
    const { items, next } = await this.actions.stretch(operation.kind, operation.filter, operation.cursor, CHUNK);
    const known = new Map((await this.store.itemsBetween(root, id, operation.cursor, next)).map((row) => [row.itemId, row]));
    const fresh: BulkItemRow[] = [];
    const counts = { done: 0, skipped: 0, failed: 0 };
    for (const item of items) {
      // The embedded database answers within the turn it is asked in: without another turn nobody else would be heard until the end.
      await turn();
      const row = known.get(item.id) ?? (await this.actOn(operation, item));
      counts[row.outcome] += 1;
      if (!known.has(item.id) && row.outcome !== 'done') fresh.push(row);
    }
    const found = new Set(items.map((item) => item.id));
    for (const row of known.values()) if (!found.has(row.itemId)) counts[row.outcome] += 1;
    const cursor = next ?? [...found, ...known.keys()].sort()[0] ?? null;
    const moved = await this.dialect.transaction(async (tx) => {
      if (cursor !== null && !(await this.store.advance(tx, operation, node, cursor, counts))) return false;
      await this.store.insertItems(tx, id, fresh);
      if (next === null) await this.store.move(tx, id, ['running'], 'done', Math.floor(this.clock.now()));
      return true;
    });
    if (next === null) this.hub.touch(['bulk']);
    return moved && next !== null;
  }

  private async actOn({ id, kind, filter, askedBy, reason }: BulkOperation, item: BulkItem): Promise<BulkItemRow> {
    const actedAt = Math.floor(this.clock.now());
    let written = false;
    const author: Author = {
      actor: askedBy,
      actorIp: null,
      userAgent: null,
      requestId: null,
      bulkId: id,
      reason,
      tell: () => {},
      also: async (tx) => {
        await this.store.insertItems(tx, id, [{ itemId: item.id, outcome: 'done', detail: null, actedAt }]);
        written = true;
      },
    };
    try {
      const detail = await this.actions.act(kind, filter, item.id, author);
      return { itemId: item.id, outcome: written ? 'done' : 'skipped', detail: written ? null : detail, actedAt };
    } catch (error) {
      // Only what is wrong with the item is its own failure; anything else stops the round and is tried again.
      if (!(error instanceof AppError)) throw error;
      const { obstacle = error.code } = (error.extras.members ?? {}) as { obstacle?: string };
      return { itemId: item.id, outcome: 'failed', detail: itemDetail(obstacle, error.detail), actedAt };
    }
  }
}
