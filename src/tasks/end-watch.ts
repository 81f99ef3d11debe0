import type { Sql } from '../ports.js';
import type { TaskStore } from './task.store.js';

const POLL_MS = 2_000;
const IDS_PER_QUERY = 500;

interface Waiter {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Looks, for everybody on this node who waits for the end of a task, whether it is there: one small query for many of them as they
 * come, and one every two seconds while somebody waits. News of an end usually comes earlier; this finds what no news told. A first
 * look that fails is the waiter's to know; a later one is repeated, and the waiter's own time limit ends it.
 */
export class EndWatch {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private fresh = new Map<string, Set<Waiter>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: TaskStore,
    private readonly sql: Sql,
  ) {}

  /** Resolves when the task has ended or does not exist; never, if `forget` comes first. */
  watch(id: string): { ended: Promise<void>; forget: () => void } {
    let waiter: Waiter | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      waiter = { resolve, reject };
      if (this.fresh.size === 0) setImmediate(() => void this.firstLook());
      join(this.fresh, id, waiter);
      join(this.waiters, id, waiter);
    });
    this.timer ??= setInterval(() => void this.look([...this.waiters.keys()]).catch(() => {}), POLL_MS);
    return { ended, forget: () => this.forget(id, waiter as Waiter) };
  }

  private async firstLook(): Promise<void> {
    const asked = this.fresh;
    this.fresh = new Map();
    try {
      await this.look([...asked.keys()]);
    } catch (error) {
      for (const each of asked.values()) for (const waiter of each) waiter.reject(error);
    }
  }

  private async look(ids: string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      const chunk = ids.slice(at, at + IDS_PER_QUERY);
      const open = new Set(await this.store.unfinished(this.sql, chunk));
      for (const id of chunk) if (!open.has(id)) for (const waiter of this.waiters.get(id) ?? []) waiter.resolve();
    }
  }

  private forget(id: string, waiter: Waiter): void {
    const together = this.waiters.get(id);
    together?.delete(waiter);
    if (together?.size === 0) this.waiters.delete(id);
    if (this.waiters.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

function join(rooms: Map<string, Set<Waiter>>, id: string, waiter: Waiter): void {
  rooms.set(id, (rooms.get(id) ?? new Set<Waiter>()).add(waiter));
}
