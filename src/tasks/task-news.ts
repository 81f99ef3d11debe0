import { Injectable } from '@nestjs/common';
import { Signals } from '../ports.js';

/** A task that falls due soon. */
export interface DueSoon {
  id: string;
  partition: number;
  dueAt: number;
}

/** A task with shards that the holder of its partition should look at: it is to be divided, or its shards are to stop. */
export interface ParentNews {
  id: string;
  partition: number;
}

/** A task that was SKIPPED as it was made: it has ended without any change of state. */
export interface SkippedTask {
  id: string;
  groupId: number;
  jobId: string | null;
  appId: number | null;
  callbackUrl: string | null;
}

interface Bulletin {
  groups: number[];
  due: DueSoon[];
  parents: ParentNews[];
}

const NEWS = 'tasks.news';
const WATCH = 'tasks.watch';
const ENDED = 'tasks.ended';
const WATCH_MS = 35_000;
const DUE_SOON_PER_BULLETIN = 1_000;
const PARENTS_PER_BULLETIN = 1_000;

/**
 * What a committed write makes worth doing, told to every node. Only ever early: what is announced here is also found by looking,
 * so a lost bulletin costs a second and nothing else. Publish after the commit, never before.
 */
@Injectable()
export class TaskNews {
  private pending: { groups: Set<number>; due: DueSoon[]; parents: ParentNews[] } | undefined;
  /** Tasks somebody waits for, and until when (monotonic ms). */
  private readonly watched = new Map<string, number>();
  private readonly waiters = new Map<string, Set<() => void>>();
  private readonly skipListeners: ((tasks: readonly SkippedTask[]) => void)[] = [];

  constructor(private readonly signals: Signals) {
    signals.subscribe(WATCH, (message) => this.watch((message as { id: string }).id));
    signals.subscribe(ENDED, (message) => {
      for (const id of (message as { ids: string[] }).ids) for (const resolve of this.waiters.get(id) ?? []) resolve();
    });
  }

  /** These groups have something to start, or room to start it. */
  work(groupIds: Iterable<number>): void {
    const bulletin = this.bulletin();
    for (const id of groupIds) bulletin.groups.add(id);
  }

  /** These fall due within the wheel's horizon. */
  dueSoon(entries: readonly DueSoon[]): void {
    if (entries.length > 0) this.bulletin().due.push(...entries);
  }

  /** These have shards to be made or to be stopped. */
  parents(parents: readonly ParentNews[]): void {
    if (parents.length > 0) this.bulletin().parents.push(...parents.map(({ id, partition }) => ({ id, partition })));
  }

  /** These reached a terminal state; heard only where somebody waits for one of them. */
  ended(ids: readonly string[]): void {
    if (this.watched.size === 0) return;
    const heard = ids.filter((id) => this.watched.delete(id));
    if (heard.length > 0) this.signals.publish(ENDED, { ids: heard });
  }

  /** These were made as SKIPPED by this node, and by no change that `LifecycleService` tells of. */
  skipped(tasks: readonly SkippedTask[]): void {
    if (tasks.length > 0) for (const listener of this.skipListeners) listener(tasks);
  }

  /** Called on this node only, after the commit: for figures and for people who watch. A listener must be quick and must not throw. */
  onSkipped(listener: (tasks: readonly SkippedTask[]) => void): void {
    this.skipListeners.push(listener);
  }

  onNews(listener: (news: Bulletin) => void): () => void {
    return this.signals.subscribe(NEWS, (message) => listener(message as Bulletin));
  }

  /** Calls back once when the task ends, as far as any node tells; the returned function stops waiting. */
  onEnd(id: string, resolve: () => void): () => void {
    const waiting = this.waiters.get(id) ?? new Set();
    this.waiters.set(id, waiting.add(resolve));
    this.watch(id);
    this.signals.publish(WATCH, { id });
    return () => {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.waiters.get(id) === waiting) this.waiters.delete(id);
    };
  }

  private watch(id: string): void {
    const now = performance.now();
    if (this.watched.size > 10_000) for (const [old, until] of this.watched) if (until < now) this.watched.delete(old);
    this.watched.set(id, now + WATCH_MS);
  }

  /** Everything said in one turn of the loop goes out as one message. */
  private bulletin(): { groups: Set<number>; due: DueSoon[]; parents: ParentNews[] } {
    if (!this.pending) {
      this.pending = { groups: new Set(), due: [], parents: [] };
      setImmediate(() => {
        const { groups, due, parents } = this.pending as NonNullable<typeof this.pending>;
        this.pending = undefined;
        due.length = Math.min(due.length, DUE_SOON_PER_BULLETIN);
        parents.length = Math.min(parents.length, PARENTS_PER_BULLETIN);
        this.signals.publish(NEWS, { groups: [...groups], due, parents } satisfies Bulletin);
      });
    }
    return this.pending;
  }
}
