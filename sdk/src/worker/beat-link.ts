import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import type { HeartbeatAnswer } from '../contract/index.js';
import type { Attempt } from './attempt.js';
import type { AttemptChange, BeatFigures, BeatThreadData, FromBeatThread, ToBeatThread } from './beat-messages.js';
import type { Logger } from './logger.js';
import { monotonicMs } from './shared-clock.js';

/** Changes that nothing waits for are collected this long. */
const COLLECT_MS = 50;

export interface BeatLinkPorts {
  data: BeatThreadData;
  logger: Logger;
  figures: () => BeatFigures;
  attempts: () => Iterable<Attempt>;
  /** Whether the attempt is still in the table. */
  present: (attempt: Attempt) => boolean;
  answered: (answer: HeartbeatAnswer) => void;
  unknownHere: () => void;
}

/**
 * The main thread's end of the line to the beat thread. The thread must know of an attempt before its handler can block the main
 * thread: `flush` is called between acceptance and start. Attempts that came and went in between are never mentioned.
 */
export class BeatLink {
  private thread: Thread | undefined;
  private readonly told = new Set<string>();
  private readonly dirty = new Set<Attempt>();
  private registered: Extract<ToBeatThread, { kind: 'registered' }> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private collectedSince = 0;
  private soon = false;
  private stopping = false;
  private lastFigures = '';

  constructor(private readonly ports: BeatLinkPorts) {}

  start(): void {
    const thread = new Thread(threadFile(), { workerData: this.ports.data, name: 'evenkeel-beats' });
    thread.unref();
    thread.on('message', (message: FromBeatThread) => this.hear(message));
    thread.on('error', (error) => this.ports.logger.error('beat thread failed', { error }));
    thread.on('exit', () => {
      if (thread !== this.thread || this.stopping) return;
      this.ports.logger.warn('beat thread restarted');
      this.told.clear();
      for (const attempt of this.ports.attempts()) this.dirty.add(attempt);
      this.start();
      if (this.registered !== undefined) this.post(this.registered);
      this.flush();
    });
    this.thread = thread;
  }

  /** Beats begin (again). */
  beginBeats(heartbeatMs: number, leaseMs: number): void {
    this.registered = { kind: 'registered', heartbeatMs, leaseMs };
    this.post(this.registered);
    this.flush();
  }

  /**
   * Something about the attempt changed; told within 50 ms, by the timer, or, while a handler keeps the event loop from its timers, by
   * the first change after them. `soon` asks for an early beat.
   */
  note(attempt: Attempt, soon = false): void {
    this.dirty.add(attempt);
    this.soon ||= soon;
    if (this.timer === undefined) {
      this.collectedSince = monotonicMs();
      this.timer = setTimeout(() => this.flush(), COLLECT_MS);
    } else if (monotonicMs() - this.collectedSince > COLLECT_MS) this.flush();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const changes: AttemptChange[] = [];
    for (const attempt of this.dirty) this.describe(attempt, changes);
    this.dirty.clear();
    const figures = this.ports.figures();
    this.lastFigures = JSON.stringify(figures);
    this.post({ kind: 'state', figures, changes, soon: this.soon });
    this.soon = false;
  }

  /** The figures move by themselves (means age): called now and then. */
  refresh(): void {
    if (this.timer === undefined && JSON.stringify(this.ports.figures()) !== this.lastFigures) this.flush();
  }

  /** Beats at once, to tell a new state. */
  hasten(): void {
    this.soon = true;
    this.flush();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    const { thread } = this;
    if (thread === undefined) return;
    this.post({ kind: 'stop' });
    await thread.terminate();
  }

  private describe(attempt: Attempt, changes: AttemptChange[]): void {
    const { key, phase, progress, checkpoint } = attempt;
    const { taskId, lease } = attempt.order;
    if (!this.ports.present(attempt)) {
      if (this.told.delete(key)) changes.push({ taskId, lease, phase: 'gone' });
      return;
    }
    this.told.add(key);
    const change: AttemptChange = { taskId, lease, phase };
    if (progress !== undefined) change.progress = progress;
    if (checkpoint !== undefined && attempt.checkpointTold !== checkpoint) {
      change.checkpoint = checkpoint;
      attempt.checkpointTold = checkpoint;
    }
    changes.push(change);
  }

  private hear(message: FromBeatThread): void {
    if (message.kind === 'answer') this.ports.answered(message.answer);
    else if (message.kind === 'unknown') this.ports.unknownHere();
    else this.ports.logger[message.level](message.message, message.fields);
  }

  private post(message: ToBeatThread): void {
    this.thread?.postMessage(message);
  }
}

/** Compiled, the thread's file is next to this one; run from source it is the built one that runs in the thread. */
function threadFile(): string {
  const beside = join(__dirname, 'beat-thread.js');
  return existsSync(beside) ? beside : join(__dirname, '..', '..', 'dist', 'worker', 'beat-thread.js');
}
