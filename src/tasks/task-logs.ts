import type { LogLine, LogsAnswer } from '@evenkeel/sdk/contract';
import { isTerminal } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { admitLines, type KeptLine } from '../decisions/log-lines.js';
import { Clock } from '../platform/clock.js';
import { type Sql, SqlDialect } from '../ports.js';
import { type AttemptLog, AttemptLogStore, type LogChunk } from './attempt-log.store.js';
import { TaskStore } from './task.store.js';

/** Where a reader stands: after that line of that attempt. */
export interface LogPlace {
  attempt: number;
  seq: number;
}
export const LOG_BEGIN: LogPlace = { attempt: 0, seq: 0 };
export interface LogPage {
  lines: (KeptLine & { attempt: number })[];
  /** The place after the last line given. */
  after: LogPlace;
  /** Nothing more will come: the task has ended and everything kept was read. */
  done: boolean;
}

interface Waiting {
  workerId: string;
  lines: readonly LogLine[];
  resolve: (refused: LogsAnswer['refused']) => void;
  reject: (error: unknown) => void;
}

const BATCH_LINES = 5_000;
const TRIES = 3;
const CHUNKS_READ = 50;
const PAGE_BYTES = 512 * 1024;
const LOOK_MS = 500;

/**
 * The logs of attempts: appended in batches beside the dispatching, read by anybody at any time. Lines of all workers that wait
 * share the next transaction; a worker is answered after the commit of its lines. If the process dies before it, nothing was kept and
 * the worker sends them again; if it dies after it, the worker also sends them again, and they are recognised by their `seq`.
 */
@Injectable()
export class TaskLogs {
  private queue: Waiting[] = [];
  private writing = false;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AttemptLogStore,
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
  ) {}

  /** Keeps the lines of attempts that are or were this worker's. Resolves with the attempts whose lines are not kept, and why. */
  append(workerId: string, lines: readonly LogLine[]): Promise<LogsAnswer['refused']> {
    if (lines.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.queue.push({ workerId, lines, resolve, reject });
      if (this.writing) return;
      this.writing = true;
      setImmediate(() => this.drain());
    });
  }

  /** Lines after that place, over all attempts in order. */
  async page(taskId: string, after: LogPlace, limit: number): Promise<LogPage> {
    const sql = this.dialect.root;
    // The task first: if it had ended before the lines were read, no line of a running attempt can be missing.
    const task = await this.tasks.find(sql, taskId);
    const chunks = await this.store.chunksAfter(sql, taskId, after, CHUNKS_READ);
    const lines: LogPage['lines'] = [];
    let bytes = 0;
    let cut = chunks.length === CHUNKS_READ;
    for (const chunk of chunks)
      for (const line of chunk.lines) {
        if (chunk.attempt === after.attempt && line.seq <= after.seq) continue;
        if (lines.length >= limit || bytes > PAGE_BYTES) cut = true;
        if (cut && (lines.length >= limit || bytes > PAGE_BYTES)) break;
        bytes += line.message.length;
        lines.push({ ...line, attempt: chunk.attempt });
      }
    const last = lines.at(-1);
    const place = last ? { attempt: last.attempt, seq: last.seq } : after;
    return { lines, after: place, done: !cut && (!task || isTerminal(task.state)) };
  }

  /**
   * The last lines before that place, or of all, perhaps of one attempt only; oldest first. `from`: where the page before ends, null
   * at the beginning. `done` as of `page`.
   */
  async pageBefore(
    taskId: string,
    before: LogPlace | null,
    limit: number,
    attempt?: number,
  ): Promise<Pick<LogPage, 'lines' | 'done'> & { from: LogPlace | null }> {
    const sql = this.dialect.root;
    const task = await this.tasks.find(sql, taskId);
    const chunks = await this.store.chunksBefore(sql, taskId, before, CHUNKS_READ, attempt);
    const lines: LogPage['lines'] = [];
    let bytes = 0;
    let cut = chunks.length === CHUNKS_READ;
    for (const chunk of chunks)
      for (const line of [...chunk.lines].reverse()) {
        if (before && chunk.attempt === before.attempt && line.seq >= before.seq) continue;
        if (lines.length >= limit || bytes > PAGE_BYTES) {
          cut = true;
          break;
        }
        bytes += line.message.length;
        lines.unshift({ ...line, attempt: chunk.attempt });
      }
    const [first] = lines;
    return {
      lines,
      from: cut && first ? { attempt: first.attempt, seq: first.seq } : null,
      done: !task || isTerminal(task.state),
    };
  }

  /** As `page`, once there is something to read, the task has ended, the time is over or the caller has gone. */
  async pageWithin(taskId: string, after: LogPlace, limit: number, timeoutMs: number, signal: AbortSignal): Promise<LogPage> {
    const deadline = this.clock.monotonic() + timeoutMs;
    for (;;) {
      const page = await this.page(taskId, after, limit);
      const left = deadline - this.clock.monotonic();
      if (page.lines.length > 0 || page.done || left <= 0 || signal.aborted) return page;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(LOOK_MS, left));
        signal.addEventListener('abort', wake);
      });
    }
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const batch: Waiting[] = [];
      for (let count = 0; this.queue.length > 0 && (batch.length === 0 || count < BATCH_LINES); ) {
        const next = this.queue.shift() as Waiting;
        count += next.lines.length;
        batch.push(next);
      }
      await this.write(batch);
    }
    this.writing = false;
  }

  /** If it fails for all, each is tried alone, so that a bad neighbour fails by itself; not while the database is away. */
  private async write(batch: Waiting[]): Promise<void> {
    try {
      const refused = await this.keep(batch);
      for (const [i, { resolve }] of batch.entries()) resolve(refused[i] ?? []);
    } catch (error) {
      if (batch.length > 1 && !this.dialect.isUnavailable(error)) for (const waiting of batch) await this.write([waiting]);
      else for (const { reject } of batch) reject(error);
    }
  }

  private async keep(batch: readonly Waiting[]): Promise<LogsAnswer['refused'][]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.dialect.transaction((tx) => this.keepIn(tx, batch));
      } catch (error) {
        // Another node began the log of one of these attempts: now it is there to be locked.
        if (tries === TRIES || !this.dialect.isUniqueViolation(error)) throw error;
      }
    }
  }

  private async keepIn(tx: Sql, batch: readonly Waiting[]): Promise<LogsAnswer['refused'][]> {
    const taskIds = [...new Set(batch.flatMap(({ lines }) => lines.map(({ taskId }) => taskId)))];
    const logs = new Map((await this.store.lock(tx, taskIds)).map((log) => [keyOf(log), log]));
    const before = new Map(logs);
    await this.admitNew(tx, batch, logs);
    const chunks = new Map<string, LogChunk & { lines: KeptLine[] }>();
    const refused = batch.map(({ workerId, lines }) => {
      const refusals: LogsAnswer['refused'] = [];
      for (const own of byLease(lines)) {
        const { taskId, lease } = own[0] as LogLine;
        const key = keyOf(own[0] as LogLine);
        const log = logs.get(key);
        if (!log || log.lease !== lease || log.workerId !== workerId) {
          refusals.push({ taskId, lease, reason: 'unknown' });
          continue;
        }
        const { kept, tally, refused: tooMuch } = admitLines(log, own);
        logs.set(key, { ...log, ...tally });
        if (kept.length > 0) {
          const chunk = chunks.get(key) ?? { taskId, attempt: log.attempt, lines: [] };
          chunk.lines.push(...kept);
          chunks.set(key, chunk);
        }
        if (tooMuch) refusals.push({ taskId, lease, reason: 'too_much' });
      }
      return refusals;
    });
    const changed = [...chunks.keys()].sort().map((key) => logs.get(key) as AttemptLog);
    await this.store.begin(
      tx,
      changed.filter((log) => !before.has(keyOf(log))),
    );
    await this.store.update(
      tx,
      changed.filter((log) => before.has(keyOf(log))),
    );
    await this.store.insert(tx, [...chunks.values()], Math.round(this.clock.now()));
    return refused;
  }

  /** Logs of attempts that have none yet, for those that are known to be somebody's. */
  private async admitNew(tx: Sql, batch: readonly Waiting[], logs: Map<string, AttemptLog>): Promise<void> {
    const unknown = new Set<string>();
    for (const { lines } of batch) for (const line of lines) if (!logs.has(keyOf(line))) unknown.add(line.taskId);
    if (unknown.size === 0) return;
    for (const owner of await this.store.owners(tx, [...unknown]))
      if (!logs.has(keyOf(owner))) logs.set(keyOf(owner), { ...owner, lastSeq: 0, bytes: 0, full: false });
  }
}

const keyOf = ({ taskId, attempt }: { taskId: string; attempt: number }): string => `${taskId}:${attempt}`;

/** The lines of each (attempt, lease) they say they are of. */
function byLease(lines: readonly LogLine[]): LogLine[][] {
  const leases = new Map<string, LogLine[]>();
  for (const line of lines) {
    const key = `${keyOf(line)}:${line.lease}`;
    const own = leases.get(key);
    if (own) own.push(line);
    else leases.set(key, [line]);
  }
  return [...leases.values()];
}
