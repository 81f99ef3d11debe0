import type { BeatRow, WorkerStore } from './worker.store.js';

/** `displaced`: the row is another incarnation by now, or gone. */
export type BeatVerdict = 'written' | 'displaced';

interface Waiting {
  row: BeatRow;
  resolve: (verdict: BeatVerdict) => void;
  reject: (error: unknown) => void;
}

const ROWS = 500;

/**
 * Beats of all workers of this node in one write per second; each is acknowledged after the write that holds it. The first beat
 * after a quiet second does not wait. If the process dies before the write, nobody was told that the beat counted.
 */
export class BeatWriter {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: WorkerStore,
    private readonly everyMs = 1000,
  ) {}

  write(row: BeatRow): Promise<BeatVerdict> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, resolve, reject });
      this.timer ??= setTimeout(() => void this.flush(), Math.max(0, this.writtenAt + this.everyMs - performance.now()));
    });
  }

  /** Writes what waits, after the write under way. Never rejects: each beat's own promise tells. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.underWay = this.underWay.then(async () => {
      const beats = this.waiting;
      this.waiting = [];
      this.writtenAt = performance.now();
      for (let from = 0; from < beats.length; from += ROWS) await this.writeSome(beats.slice(from, from + ROWS));
    });
    return this.underWay;
  }

  private async writeSome(beats: Waiting[]): Promise<void> {
    // One row per worker incarnation: the later beat holds all that the earlier one said, except a refusal.
    const rows = new Map<string, BeatRow>();
    for (const { row } of beats) {
      const key = `${row.workerId} ${row.incarnation}`;
      rows.set(key, { ...row, refused: row.refused ?? rows.get(key)?.refused ?? null });
    }
    try {
      const written = await this.store.writeBeats([...rows.values()]);
      const displaced = written === rows.size ? new Set<string>() : await this.displacedAmong([...rows.values()]);
      for (const { row, resolve } of beats)
        resolve(displaced.has(`${row.workerId} ${row.incarnation}`) ? 'displaced' : 'written');
    } catch (error) {
      for (const { reject } of beats) reject(error);
    }
  }

  private async displacedAmong(rows: BeatRow[]): Promise<Set<string>> {
    const stored = await this.store.byIds([...new Set(rows.map((row) => row.workerId))]);
    const standing = new Set(stored.filter(({ state }) => state !== 'gone').map((row) => `${row.workerId} ${row.incarnation}`));
    return new Set(rows.map((row) => `${row.workerId} ${row.incarnation}`).filter((key) => !standing.has(key)));
  }
}
