import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { RequestKeys, requestKeyOf } from './request-keys.js';
import type { NewTask } from './task.js';

interface Waiter {
  task: NewTask;
  /** Monotonic. */
  until: number;
  resolve: (isFree: boolean) => void;
  reject: (error: unknown) => void;
}

const LOOK_EVERY_MS = 25;
/** How long a submission waits for another transaction that writes its clientRequestId. */
export const KEY_PATIENCE_MS = 12_000;
/** The same for one of several whose callers get one answer together. */
export const KEY_PATIENCE_IN_LIST_MS = 1_000;

/**
 * Submissions whose clientRequestId an open transaction has written wait here for its end, not in the database: there each would keep
 * a connection, and whoever shares its statement, waiting with it. Looks only while somebody waits, at all of them at once. Nothing
 * here is stored: if the process dies, nobody was answered.
 */
@Injectable()
export class KeyWatch {
  private readonly waiters = new Map<string, Waiter[]>();
  private looking = false;

  constructor(
    private readonly keys: RequestKeys,
    private readonly clock: Clock,
  ) {}

  /** Somebody waits for this key already. */
  isWatched(key: string): boolean {
    return this.waiters.has(key);
  }

  /** True once nobody is writing the task's key any more, false at `until` (monotonic). Rejects when the database cannot be asked. */
  untilFree(task: NewTask, until: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const key = requestKeyOf(task) ?? '';
      this.waiters.set(key, [...(this.waiters.get(key) ?? []), { task, until, resolve, reject }]);
      if (!this.looking) void this.look();
    });
  }

  private async look(): Promise<void> {
    this.looking = true;
    while (this.waiters.size > 0) {
      await pause(LOOK_EVERY_MS);
      const asked = [...this.waiters.values()].flat();
      try {
        this.settle(await this.keys.beingWritten(asked.map(({ task }) => task)), asked);
      } catch (error) {
        this.remove(asked);
        for (const { reject } of asked) reject(error);
      }
    }
    this.looking = false;
  }

  /** Who came while the database was asked is told of the next look. */
  private settle(held: ReadonlySet<string>, asked: readonly Waiter[]): void {
    const now = this.clock.monotonic();
    const done = asked.filter(({ task, until }) => until <= now || !held.has(requestKeyOf(task) ?? ''));
    this.remove(done);
    for (const { task, resolve } of done) resolve(!held.has(requestKeyOf(task) ?? ''));
  }

  private remove(gone: readonly Waiter[]): void {
    const removed = new Set(gone);
    for (const [key, waiters] of this.waiters) {
      const rest = waiters.filter((waiter) => !removed.has(waiter));
      if (rest.length > 0) this.waiters.set(key, rest);
      else this.waiters.delete(key);
    }
  }
}
