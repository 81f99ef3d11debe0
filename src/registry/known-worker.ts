import type { HeartbeatRequest, WorkerFigures } from '@evenkeel/sdk/contract';
import type { SharedWorker } from './shared-worker.js';
import {
  attemptName,
  type NamedAttempts,
  type ReportedFigures,
  type StoredWorker,
  type WorkerState,
  type WorkerView,
} from './worker.js';

/** What another node told about its orders is forgotten after this long: it may have died meanwhile. */
const FOREIGN_ORDERS_MS = 10_000;

/**
 * One incarnation of a worker in this node's memory: the row as last read, corrected by what was heard since. `heardAt` and
 * `readAt` are monotonic, so no clock change makes a worker look silent.
 */
export class KnownWorker implements WorkerView {
  figures: ReportedFigures;
  heardAt: number;
  /** Set by the liveness loop, cleared by hearing from the worker. */
  suspect = false;
  private handlerNames: ReadonlySet<string>;
  private ready: 'ready' | 'draining' = 'ready';
  private busy = false;
  private ownOrders = 0;
  private probesAnswered = 0;
  /** Monotonic; null while it does not drain. */
  private drainingSince: number | null = null;
  private readonly foreignOrders = new Map<string, { count: number; until: number }>();
  private readonly beats: NamedAttempts[] = [];

  constructor(
    private row: StoredWorker,
    ageMs: number,
    readonly monotonic: () => number,
    public readAt: number,
  ) {
    this.figures = { ...row.figures };
    this.heardAt = monotonic() - ageMs;
    this.handlerNames = new Set(row.offer.handlers.map((handler) => handler.name));
    if (row.state === 'draining') this.ready = 'draining';
    this.noteDraining();
  }

  get workerId() {
    return this.row.workerId;
  }
  get incarnation() {
    return this.row.incarnation;
  }
  get accessKey() {
    return this.row.accessKey;
  }
  get offer() {
    return this.row.offer;
  }
  get storedState() {
    return this.row.state;
  }
  get drainAsked() {
    return this.row.drainAsked;
  }
  get drain() {
    return this.row.drain;
  }
  get cordon() {
    return this.row.cordon;
  }
  get suspended() {
    return this.row.offer.suspended ?? null;
  }
  get lastRefused() {
    return this.row.lastRefused;
  }
  get registeredAt() {
    return this.row.registeredAt;
  }
  get lastBeatAt() {
    return this.row.lastBeatAt;
  }
  get state(): WorkerState {
    if (this.row.state === 'offline' || this.row.state === 'gone') return 'offline';
    return this.suspect ? 'suspect' : 'online';
  }
  get draining(): boolean {
    return this.row.drainAsked || this.ready === 'draining';
  }
  get drainingForMs(): number | null {
    return this.drainingSince === null ? null : this.monotonic() - this.drainingSince;
  }
  get inFlight(): number {
    let count = this.ownOrders;
    const now = this.monotonic();
    for (const foreign of this.foreignOrders.values()) if (foreign.until > now) count += foreign.count;
    return count;
  }
  /** What it last said of itself, whatever the centre decided since. */
  get reportedState(): 'ready' | 'draining' {
    return this.ready;
  }
  get ordersOfThisNode(): number {
    return this.ownOrders;
  }
  get takesOrders(): boolean {
    return this.state === 'online' && !this.draining && this.cordon === null && this.suspended === null;
  }
  get available(): number {
    return this.takesOrders && !this.busy ? Math.max(0, this.figures.freeSlots - this.inFlight) : 0;
  }
  /** How many more orders of that handler it may be given now. */
  roomFor(handler: string): number {
    return this.figures.full?.includes(handler) ? 0 : this.available;
  }
  /** The last two, oldest first. */
  get lastBeats(): NamedAttempts[] {
    return [...this.beats];
  }

  serves(groupKey: string, handler: string): boolean {
    return this.row.offer.groups.includes(groupKey) && this.handlerNames.has(handler);
  }

  /** A later read of the same incarnation's row. */
  adopt(row: StoredWorker, ageMs: number, readAt: number): void {
    const beatAdvanced = row.lastBeatAt > this.row.lastBeatAt;
    // A beat that was not in the row when it was last read came after that, whatever two nodes' clocks make of its age.
    const beatAge = Math.min(ageMs, this.monotonic() - this.readAt);
    const beatIsNews = row.figures.beatSeq >= this.figures.beatSeq;
    if (row.offer.handlers !== this.row.offer.handlers)
      this.handlerNames = new Set(row.offer.handlers.map((handler) => handler.name));
    this.row = row;
    this.readAt = readAt;
    if (beatAdvanced) this.heard(this.monotonic() - beatAge);
    if (beatIsNews && (row.state === 'ready' || row.state === 'draining')) this.ready = row.state;
    this.noteDraining();
    const { avgCostMs, cpuIdlePercent, memory, skewMs, beatSeq } = row.figures;
    if (beatIsNews) Object.assign(this.figures, { avgCostMs, cpuIdlePercent, memory, skewMs, beatSeq });
    this.noteFigures(row.figures);
  }

  heard(at = this.monotonic()): void {
    if (at <= this.heardAt) return;
    this.heardAt = at;
    this.suspect = false;
  }

  /** False for a beat that is not newer than the last one. */
  noteBeat(beat: HeartbeatRequest, skewMs: number): boolean {
    if (beat.seq <= this.figures.beatSeq) return false;
    this.heard();
    this.ready = beat.state;
    this.noteDraining();
    const { seq: beatSeq, avgCostMs, cpuIdlePercent, memory } = beat;
    Object.assign(this.figures, { beatSeq, avgCostMs, cpuIdlePercent, memory, skewMs });
    this.noteFigures(beat);
    this.noteNamed(beat.seq, beat.attempts);
    return true;
  }

  /** Returns the place of the answer among the numbered reports: behind `seqBefore`, before the next, behind earlier answers. */
  noteProbed(seqBefore: number, attempts: readonly { taskId: string; lease: number }[]): number {
    this.probesAnswered += 1;
    const seq = seqBefore + this.probesAnswered / (this.probesAnswered + 1);
    this.noteNamed(seq, attempts);
    return seq;
  }

  /** What another node told. Its beat may have been read from the row before this message came. */
  noteShared(origin: string, { figures, orders, beat }: SharedWorker): void {
    this.noteForeignOrders(origin, orders);
    this.noteFigures(figures);
    if (!beat) return;
    this.noteNamed(beat.seq, beat.attempts);
    // The answer to a probe proves life, but only a beat makes a silent worker fit for orders.
    if (!Number.isInteger(beat.seq) || beat.seq < this.figures.beatSeq) return;
    this.heard();
    this.ready = beat.state;
    this.noteDraining();
    Object.assign(this.figures, { beatSeq: beat.seq, avgCostMs: beat.avgCostMs, cpuIdlePercent: beat.cpuIdlePercent });
  }

  /** A beat received at that instant is in the row. */
  noteStored(beatAt: number): void {
    if (beatAt > this.row.lastBeatAt) this.row = { ...this.row, lastBeatAt: beatAt };
  }

  noteNamed(seq: number, attempts: readonly { taskId: string; lease: number }[]): void {
    const last = this.beats.at(-1);
    if (last && seq <= last.seq) return;
    this.beats.push({ seq, attempts: new Set(attempts.map(attemptName)) });
    if (this.beats.length > 2) this.beats.shift();
  }

  /** The report with the highest `seq` is the truth; a newer one also ends a `busy`. */
  noteFigures(figures: WorkerFigures): void {
    if (figures.seq <= this.figures.seq) return;
    const { seq, active, queued, freeSlots, full } = figures;
    Object.assign(this.figures, { seq, active, queued, freeSlots, full });
    this.busy = false;
  }

  noteBusy(): void {
    this.busy = true;
  }

  noteOrders(change: number): void {
    this.ownOrders = Math.max(0, this.ownOrders + change);
  }

  private noteDraining(): void {
    this.drainingSince = this.draining ? (this.drainingSince ?? this.monotonic()) : null;
  }

  private noteForeignOrders(origin: string, count: number): void {
    if (count > 0) this.foreignOrders.set(origin, { count, until: this.monotonic() + FOREIGN_ORDERS_MS });
    else this.foreignOrders.delete(origin);
  }
}
