/** Something that is due at an instant (epoch milliseconds). */
export interface WheelEntry {
  id: string;
  dueAt: number;
}

const SLOT_MS = 100;
/** The time may be corrected back by a second; beyond that the wheel starts anew and is filled again from the database. */
const SLOTS_BACK = 10;

/**
 * A hashed wheel of what is due soon: adding and taking cost the same however much it holds. Purely a cache: whatever is in it is
 * also in the database, so dropping it loses nothing, and an entry that is taken is checked there before anything happens.
 * The caller moves it by handing in the time; a jump of the time takes at most everything that is due by then, once.
 */
export class TimingWheel {
  private readonly slots: Map<string, number>[];
  private readonly slotOf = new Map<string, number>();
  /** Every slot before this one, in absolute numbers, has been emptied. */
  private cursor: number;

  constructor(
    readonly horizonMs: number,
    now: number,
  ) {
    this.slots = Array.from({ length: Math.ceil(horizonMs / SLOT_MS) + 1 }, () => new Map());
    this.cursor = Math.floor(now / SLOT_MS);
  }

  get size(): number {
    return this.slotOf.size;
  }

  /** False if it is due beyond the horizon and was not taken in. What is overdue goes to the slot that is emptied next. */
  add(entry: WheelEntry): boolean {
    const slot = Math.max(Math.floor(entry.dueAt / SLOT_MS), this.cursor);
    if (slot >= this.cursor + this.slots.length) return false;
    this.remove(entry.id);
    this.slotAt(slot).set(entry.id, entry.dueAt);
    this.slotOf.set(entry.id, slot);
    return true;
  }

  remove(id: string): void {
    const slot = this.slotOf.get(id);
    if (slot === undefined) return;
    this.slotAt(slot).delete(id);
    this.slotOf.delete(id);
  }

  /** Takes what is due by `now`, earliest first, and no more than `limit`. */
  takeDue(now: number, limit: number): WheelEntry[] {
    const due: WheelEntry[] = [];
    if (Math.floor(now / SLOT_MS) < this.cursor - SLOTS_BACK) this.restart(now);
    const last = Math.max(Math.floor(now / SLOT_MS), this.cursor);
    for (let slot = this.cursor; slot <= last && slot < this.cursor + this.slots.length; slot++) {
      for (const [id, dueAt] of this.slotAt(slot)) if (dueAt <= now) due.push({ id, dueAt });
    }
    due.sort((a, b) => a.dueAt - b.dueAt);
    due.length = Math.min(due.length, limit);
    for (const entry of due) this.remove(entry.id);
    while (this.cursor < last && this.slotAt(this.cursor).size === 0) {
      this.cursor = this.slotOf.size === 0 ? last : this.cursor + 1;
    }
    return due;
  }

  /** When the earliest entry is due, or undefined if there is none. */
  nextDueAt(): number | undefined {
    if (this.slotOf.size === 0) return undefined;
    for (let slot = this.cursor; slot < this.cursor + this.slots.length; slot++) {
      const entries = this.slotAt(slot);
      if (entries.size > 0) return Math.min(...entries.values());
    }
    return undefined;
  }

  clear(): void {
    for (const slot of this.slots) slot.clear();
    this.slotOf.clear();
  }

  private restart(now: number): void {
    this.clear();
    this.cursor = Math.floor(now / SLOT_MS);
  }

  private slotAt(absolute: number): Map<string, number> {
    return this.slots[absolute % this.slots.length] as Map<string, number>;
  }
}
