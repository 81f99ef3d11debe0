const CAPACITY = 10_000;

interface Entry<V> {
  value: V | null | undefined;
  loading: Promise<V | null>;
  /** Monotonic milliseconds. */
  goodUntil: number;
}

/**
 * Answers of a loader by name, kept for a while, absence included. Parallel misses share one load. An answer still being loaded
 * when `forget` comes is given to those who wait but not kept. A failed load is never kept. Absent names live in a room of their
 * own, so that a flood of invented ones cannot push out real ones; each room drops its oldest when full.
 */
export class KeyCache<V> {
  private readonly present = new Map<string, Entry<V>>();
  private readonly absent = new Map<string, Entry<V>>();

  constructor(
    private readonly load: (name: string) => Promise<V | null>,
    private readonly monotonic: () => number,
    /** Milliseconds an answer is given from memory. */
    private readonly keptMs = 60_000,
  ) {}

  get(name: string): V | null | Promise<V | null> {
    const entry = this.present.get(name) ?? this.absent.get(name);
    if (!entry || entry.goodUntil <= this.monotonic()) return this.fetch(name);
    return entry.value === undefined ? entry.loading : entry.value;
  }

  /** It was found, and is remembered. */
  has(name: string): boolean {
    return this.present.has(name);
  }

  forget(name: string): void {
    this.present.delete(name);
    this.absent.delete(name);
  }

  clear(): void {
    this.present.clear();
    this.absent.clear();
  }

  private fetch(name: string): Promise<V | null> {
    this.forget(name);
    const entry: Entry<V> = { value: undefined, loading: this.load(name), goodUntil: this.monotonic() + this.keptMs };
    keep(this.absent, name, entry);
    entry.loading.then(
      (value) => this.settle(name, entry, value),
      () => {
        if (this.absent.get(name) === entry) this.absent.delete(name);
      },
    );
    return entry.loading;
  }

  private settle(name: string, entry: Entry<V>, value: V | null): void {
    if (this.absent.get(name) !== entry) return;
    entry.value = value;
    if (value === null) return;
    this.absent.delete(name);
    keep(this.present, name, entry);
  }
}

function keep<V>(room: Map<string, V>, name: string, entry: V): void {
  if (room.size >= CAPACITY) room.delete(room.keys().next().value as string);
  room.set(name, entry);
}
