import { Injectable, Logger } from '@nestjs/common';
import { Ticker } from '../platform/ticker.js';
import { type Acceptance, LifecycleService } from '../tasks/lifecycle.service.js';

const BUFFER_MS = 100;
const RETRY_MS = 1_000;
const BATCH = 500;

/**
 * Confirmations of orders, kept for up to 100 ms: an attempt that ends within that time needs no write of its own for RUNNING,
 * its result's write tells both. If the process dies with confirmations in here, their tasks stay DISPATCHED; the next holder
 * sends the orders again and the workers answer `duplicate`.
 */
@Injectable()
export class RunningBuffer {
  private readonly log = new Logger(RunningBuffer.name);
  private waiting = new Map<string, Acceptance>();
  private readonly loop = new Ticker(() => this.flush(), {
    everyMs: 60_000,
    onError: (error) => {
      this.log.warn('confirmed orders not written, trying again', { err: error });
      this.loop.wakeIn(RETRY_MS);
    },
  });

  constructor(private readonly lifecycle: LifecycleService) {}

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.flush();
  }

  confirm(acceptances: readonly Acceptance[]): void {
    for (const acceptance of acceptances) this.waiting.set(acceptance.taskId, acceptance);
    this.loop.wakeIn(BUFFER_MS);
  }

  /** The worker's attempt has ended: its result's write says that it ran. */
  forget(taskId: string, lease: number, workerId: string): void {
    const waiting = this.waiting.get(taskId);
    if (waiting?.lease === lease && waiting.workerId === workerId) this.waiting.delete(taskId);
  }

  has(taskId: string, lease: number): boolean {
    return this.waiting.get(taskId)?.lease === lease;
  }

  private async flush(): Promise<void> {
    const all = [...this.waiting.values()];
    for (let i = 0; i < all.length; i += BATCH) {
      const batch = all.slice(i, i + BATCH).filter((acceptance) => this.has(acceptance.taskId, acceptance.lease));
      if (batch.length === 0) continue;
      await this.lifecycle.accept(batch);
      for (const { taskId, lease, workerId } of batch) this.forget(taskId, lease, workerId);
    }
  }
}
