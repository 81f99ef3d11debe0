import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { Config } from '../platform/config.js';
import { newId } from '../platform/ids.js';
import { Ticker } from '../platform/ticker.js';
import { SqlDialect } from '../ports.js';
import { AccessKeysService } from './access-keys.service.js';
import { KeyNews } from './key-news.js';
import { type RejectedRequest, RejectedRequestStore } from './rejected-request.store.js';
import { type CountedRejection, type Rejection, RejectionBuffer } from './rejection-buffer.js';

const EVERY_MS = 1_000;
const ROWS_A_ROUND = 50;
const KEPT = { ofKey: 100, ofStrangers: 200 } as const;
/** A list may outgrow its length by that much per node before its oldest are removed. */
const SLACK = 10;
const TRIMS_A_ROUND = 5;

/**
 * The latest refused requests of each key, and of all keys that do not exist in one list, for whoever has to find out why. Noted in
 * memory after the answer, written once a second: of one node at most fifty rows, one look-up and five shortened lists, whatever is
 * sent; nothing while nothing is refused. If the process dies at any line, what it had noted is not listed, or a list is longer until
 * another node writes to it; nothing depends on it. A round that fails is lost.
 */
@Injectable()
export class RejectedRequests implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('rejected-requests');
  private readonly buffer = new RejectionBuffer();
  /** How many rows this process has written to a list since it shortened it. */
  private readonly grown = new Map<string, number>();
  private readonly ticker = new Ticker(() => this.flush(), {
    everyMs: EVERY_MS,
    onError: (err) => this.log.warn({ msg: 'refused requests not written', err }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: RejectedRequestStore,
    private readonly keys: AccessKeysService,
    private readonly news: KeyNews,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.ticker.stop();
  }

  /** `known`: the key exists, as far as this node knows. */
  note(rejection: Rejection, known: boolean): void {
    this.buffer.add(rejection, known);
  }

  /** Newest first, of these keys; the empty one stands for all that do not exist. */
  list(owners: readonly string[], before: string | undefined, limit: number): Promise<RejectedRequest[]> {
    return this.store.list(this.dialect.root, owners, before, limit);
  }

  find(id: string): Promise<RejectedRequest | null> {
    return this.store.find(this.dialect.root, id);
  }

  removeBefore(before: number, most: number): Promise<number> {
    return this.store.removeBefore(this.dialect.root, before, most);
  }

  /** One round; also for tests. */
  async flush(): Promise<void> {
    if (this.buffer.isEmpty) return;
    const taken = this.buffer.take(ROWS_A_ROUND, this.clock.now());
    if (taken.length === 0) return;
    const rows = await this.owned(taken);
    await this.store.insert(this.dialect.root, rows);
    for (const { owner, more } of rows) {
      if (owner !== '') this.news.used({ accessKey: owner, requests: more + 1, failed: more + 1 });
      this.grown.set(owner, (this.grown.get(owner) ?? SLACK) + 1);
    }
    await this.shorten();
  }

  private async owned(taken: readonly CountedRejection[]): Promise<RejectedRequest[]> {
    const asked = new Set(taken.filter(({ known, name }) => !known && name !== '').map(({ name }) => name));
    const existing = await this.keys.existing([...asked]);
    const node = this.config.nodeId;
    return taken.map(({ name, known, ...rejection }) => ({
      ...rejection,
      id: newId('rej'),
      owner: known || existing.has(name) ? name : '',
      node,
    }));
  }

  private async shorten(): Promise<void> {
    const due = [...this.grown].filter(([, rows]) => rows >= SLACK).slice(0, TRIMS_A_ROUND);
    for (const [owner] of due) {
      await this.store.trim(this.dialect.root, owner, owner === '' ? KEPT.ofStrangers : KEPT.ofKey);
      this.grown.set(owner, 0);
    }
  }
}
