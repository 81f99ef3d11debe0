import type { Signals } from '../ports.js';
import type { KnownWorker } from './known-worker.js';
import type { SharedBeat, SharedWorker } from './shared-worker.js';

export const FIGURES_TOPIC = 'workers.figures';
export const CHANGED_TOPIC = 'workers.changed';
const GATHER_MS = 25;

/** Gathers what this node noted about workers for 25 ms and tells the other nodes in one message. May be lost; see `Signals`. */
export class FiguresShare {
  private readonly dirty = new Map<string, { worker: KnownWorker; beat?: SharedBeat }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly signals: Signals,
    /** Tells this node's own messages from the others'. */
    readonly origin: string,
  ) {}

  touch(worker: KnownWorker, beat?: SharedBeat): void {
    this.dirty.set(worker.workerId, { worker, beat: beat ?? this.dirty.get(worker.workerId)?.beat });
    this.timer ??= setTimeout(() => this.publish(), GATHER_MS).unref();
  }

  /** The rows of these workers were written: others read them at once. */
  rowsChanged(workerIds: readonly string[]): void {
    this.signals.publish(CHANGED_TOPIC, { origin: this.origin, workerIds });
  }

  /** Returns what ends the subscription. Messages of this node itself are not passed on. */
  subscribe(onFigures: (origin: string, worker: SharedWorker) => void, onChanged: (workerIds: string[]) => void): () => void {
    const ends = [
      this.signals.subscribe(FIGURES_TOPIC, (message) => {
        const { origin, workers } = message as { origin: string; workers: SharedWorker[] };
        if (origin !== this.origin) for (const worker of workers) onFigures(origin, worker);
      }),
      this.signals.subscribe(CHANGED_TOPIC, (message) => {
        const { origin, workerIds } = message as { origin: string; workerIds: string[] };
        if (origin !== this.origin) onChanged(workerIds);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private publish(): void {
    this.timer = undefined;
    const workers = [...this.dirty.values()].map(({ worker, beat }): SharedWorker => {
      const { seq, active, queued, freeSlots, full } = worker.figures;
      const { workerId, incarnation, ordersOfThisNode: orders } = worker;
      return { workerId, incarnation, figures: { seq, active, queued, freeSlots, full }, orders, beat };
    });
    this.dirty.clear();
    this.signals.publish(FIGURES_TOPIC, { origin: this.origin, workers });
  }
}
