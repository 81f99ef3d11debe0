interface Open<Of, Figures> {
  spanMs: number;
  beginsAt: number;
  of: Of;
  figures: Figures;
  dirty: boolean;
}
type Put<Of, Figures> = (span: Readonly<Omit<Open<Of, Figures>, 'dirty'>>) => Promise<void>;

/** Spans of time that are still added to, each until it is over and has been written. */
export class OpenSpans<Of extends string | number, Figures> {
  private readonly open = new Map<string, Open<Of, Figures>>();

  constructor(private readonly nothing: () => Figures) {}

  /** The figures of the span that holds `now`, to be added to. */
  at(spanMs: number, now: number, of: Of): Figures {
    const key = keyOf(spanMs, now, of);
    let entry = this.open.get(key);
    if (!entry) {
      entry = { spanMs, beginsAt: beginOf(spanMs, now), of, figures: this.nothing(), dirty: true };
      this.open.set(key, entry);
    }
    entry.dirty = true;
    return entry.figures;
  }

  /** The same, if anything was added to that span yet. */
  known(spanMs: number, now: number, of: Of): Figures | undefined {
    const known = this.open.has(keyOf(spanMs, now, of));
    return known ? this.at(spanMs, now, of) : undefined;
  }

  /** Puts those that have changed since they were put last. If `put` rejects, the next call puts the rest as they are by then. */
  async write(now: number, put: Put<Of, Figures>): Promise<void> {
    for (const [key, entry] of this.open) {
      if (entry.dirty) {
        entry.dirty = false;
        try {
          await put(entry);
        } catch (error) {
          entry.dirty = true;
          throw error;
        }
      }
      if (entry.beginsAt + entry.spanMs < now && !entry.dirty) this.open.delete(key);
    }
  }
}

/** When the span that holds `now` began. */
export const beginOf = (spanMs: number, now: number): number => Math.floor(now / spanMs) * spanMs;
const keyOf = (spanMs: number, now: number, of: string | number): string => `${spanMs} ${beginOf(spanMs, now)} ${of}`;
