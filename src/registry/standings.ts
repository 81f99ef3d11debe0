import type { Clock } from '../platform/clock.js';
import type { WorkerView } from './worker.js';

/** `superseded`: another incarnation registered after it. */
export type Standing = 'current' | 'superseded' | 'offline' | 'unknown';

const QUESTION_KEPT_MS = 600_000;

/**
 * Decides what became of an incarnation, never from a view that may be older than its registration: a task may name a worker that
 * registered on another node a moment ago. An incarnation registers before it can be given a task, so a read of the whole table
 * that starts after the first question and does not show it proves that it was replaced.
 */
export class Standings {
  private readonly askedAt = new Map<string, number>();
  /** Monotonic start of the last whole read that has ended. */
  private readStartedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** A question waits for a whole read. */
  wantsRead = false;

  of(workerId: string, incarnation: string, worker: WorkerView | undefined): Standing {
    if (worker?.incarnation === incarnation) return worker.state === 'offline' ? 'offline' : 'current';
    const question = `${workerId} ${incarnation}`;
    const askedAt = this.askedAt.get(question);
    if (askedAt !== undefined && this.readStartedAt > askedAt) return worker ? 'superseded' : 'unknown';
    if (askedAt === undefined) this.askedAt.set(question, this.clock.monotonic());
    this.wantsRead = true;
    return 'current';
  }

  /** This node saw another incarnation take its place. */
  replaced(workerId: string, incarnation: string): void {
    this.askedAt.set(`${workerId} ${incarnation}`, this.readStartedAt - 1);
  }

  /** A whole read that started then has been taken over. */
  verified(startedAt: number): void {
    this.readStartedAt = Math.max(this.readStartedAt, startedAt);
    this.wantsRead = false;
    for (const [question, askedAt] of this.askedAt) {
      if (askedAt < startedAt - QUESTION_KEPT_MS) this.askedAt.delete(question);
      else if (askedAt >= startedAt) this.wantsRead = true;
    }
  }
}
