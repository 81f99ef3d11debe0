import { type AttemptResult, LIMITS, type ResultAck, type ResultsAnswer, type WorkerFigures } from '../contract/index.js';
import { EvenkeelProblem } from '../transport/problem.js';
import { attemptKey } from './attempt.js';
import { backoffMs } from './backoff.js';
import { type CentreChannel, isUnknownHere } from './centre-channel.js';
import type { Journal } from './journal.js';
import type { Logger } from './logger.js';
import { Waiters } from './waiters.js';

/** One transaction of the centre takes this many. */
const BATCH_RESULTS = 500;
const BATCH_BYTES = LIMITS.channelRequestBytes - 1024;
/** Beyond this much unacknowledged the worker takes no more orders: results are never thrown away. */
const BACKLOG_BYTES = 64 * 1024 * 1024;

export interface PendingResult {
  key: string;
  json: string;
  bytes: number;
}

export interface ReporterPorts {
  workerId: string;
  incarnation: string;
  channel: CentreChannel;
  journal: Journal;
  logger: Logger;
  acknowledged: (key: string) => void;
  /** As they are now, numbered: a freed slot is filled again without waiting for a beat. */
  figures: () => WorkerFigures;
  /** The centre does not know this incarnation. */
  unknownHere: () => void;
}

/**
 * Delivers results until each is acknowledged. The first goes at once; those that end while a request is out go together in the
 * next. In order: journal, request, acknowledgement, journal. If the process dies before the first, the attempt is recovered by
 * the centre; between any of the others, the next life sends the result again and hears `duplicate`.
 */
export class ResultReporter {
  private readonly pending: PendingResult[] = [];
  private fresh: PendingResult[] = [];
  private backlogBytes = 0;
  private held = 0;
  private sending = false;
  private scheduled = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private batchLimit = BATCH_RESULTS;
  private readonly waiters = new Waiters();

  constructor(private readonly ports: ReporterPorts) {}

  get full(): boolean {
    return this.backlogBytes > BACKLOG_BYTES;
  }
  get idle(): boolean {
    return this.pending.length === 0 && this.fresh.length === 0 && this.held === 0;
  }

  report(key: string, json: string): void {
    const bytes = json.length * 3 < BATCH_BYTES / BATCH_RESULTS ? json.length : Buffer.byteLength(json);
    const result = { key, json, bytes };
    this.fresh.push(result);
    this.backlogBytes += bytes;
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** In the journal at once, sent once `ready` has resolved: what the attempt logged shall be there before its result. */
  reportAfter(ready: Promise<void>, key: string, json: string): void {
    const bytes = Buffer.byteLength(json);
    this.ports.journal.results([{ key, json }]);
    this.backlogBytes += bytes;
    this.held++;
    ready.then(() => {
      this.held--;
      this.pending.push({ key, json, bytes });
      this.send();
    });
  }

  /** Results of earlier lives that are in the journal already. */
  resume(results: { key: string; json: string }[]): void {
    for (const { key, json } of results) {
      const bytes = Buffer.byteLength(json);
      this.pending.push({ key, json, bytes });
      this.backlogBytes += bytes;
    }
    this.send();
  }

  /** Resolves once nothing is left or the time is over. */
  async flushed(withinMs: number): Promise<boolean> {
    if (!this.idle) await this.waiters.within(withinMs);
    return this.idle;
  }

  /** Sends no more; what is left stays in the journal. */
  stop(): void {
    this.flush();
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.scheduled = false;
    if (this.fresh.length === 0) return;
    this.ports.journal.results(this.fresh);
    this.pending.push(...this.fresh);
    this.fresh = [];
    this.send();
  }

  private send(): void {
    if (this.sending || this.stopped || this.timer !== undefined || this.pending.length === 0) return;
    this.sending = true;
    const batch = this.nextBatch();
    const { workerId, incarnation } = this.ports;
    const head = `{"workerId":${JSON.stringify(workerId)},"incarnation":"${incarnation}","figures":${JSON.stringify(this.ports.figures())}`;
    const body = `${head},"results":[${batch.map((each) => each.json).join(',')}]}`;
    this.ports.channel.post<ResultsAnswer>('/worker/v1/results', body, 2000, 15_000).then(
      ({ body: answer }) => this.delivered(batch, Array.isArray(answer?.acks) ? answer.acks : []),
      (error) => this.failed(batch, error),
    );
  }

  private nextBatch(): PendingResult[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: size } of this.pending) {
      bytes += size + 1;
      if (count === this.batchLimit || (count > 0 && bytes > BATCH_BYTES)) break;
      count++;
    }
    return this.pending.slice(0, count);
  }

  private delivered(batch: PendingResult[], acks: ResultAck[]): void {
    const keys = new Set(acks.map((ack) => attemptKey(ack.taskId, ack.lease)));
    for (const { taskId, lease, verdict } of acks) {
      if (verdict === 'late' || verdict === 'unknown') this.ports.logger.warn('result not applied', { taskId, lease, verdict });
    }
    const complete = this.drop(batch, keys);
    this.batchLimit = Math.min(this.batchLimit * 2, BATCH_RESULTS);
    this.sending = false;
    this.failures = complete ? 0 : this.failures + 1;
    if (!complete) this.later();
    else this.send();
    if (this.idle) this.waiters.wake();
  }

  /** Takes the acknowledged ones of the batch, which heads the line, out of it; false if some were not acknowledged. */
  private drop(batch: PendingResult[], keys: Set<string>): boolean {
    const unacknowledged = batch.filter(({ key }) => !keys.has(key));
    this.pending.splice(0, batch.length, ...unacknowledged);
    const done: string[] = [];
    for (const { key, bytes } of batch) {
      if (!keys.has(key)) continue;
      this.backlogBytes -= bytes;
      done.push(key);
    }
    if (done.length > 0) this.ports.journal.acknowledged(done);
    for (const key of done) this.ports.acknowledged(key);
    return unacknowledged.length === 0;
  }

  private failed(batch: PendingResult[], error: unknown): void {
    this.sending = false;
    this.failures++;
    if (isUnknownHere(error)) this.ports.unknownHere();
    else if (error instanceof EvenkeelProblem && (error.status === 400 || error.status === 413 || error.status === 422)) {
      if (batch.length > 1) this.batchLimit = Math.max(1, Math.floor(batch.length / 2));
      else this.replace(batch[0] as PendingResult, error);
    }
    if (this.failures === 1 || this.failures % 20 === 0) {
      this.ports.logger.warn('results not delivered: kept and sent again', {
        pending: this.pending.length,
        failures: this.failures,
        error,
      });
    }
    this.later();
  }

  /** A result the centre cannot read would stand in the way of all others for ever: its attempt is reported as failed instead. */
  private replace(refused: PendingResult, error: EvenkeelProblem): void {
    const { taskId, lease, startedAt, endedAt } = JSON.parse(refused.json) as AttemptResult;
    const message = `the centre refuses the result: ${error.message}`.slice(0, LIMITS.errorMessageLength);
    const failed: AttemptResult = {
      taskId,
      lease,
      outcome: 'failed',
      error: { name: 'ResultRefusedError', message },
      startedAt,
      endedAt,
    };
    this.ports.logger.error('result refused by the centre', { taskId, lease, error });
    const json = JSON.stringify(failed);
    this.backlogBytes -= refused.bytes;
    if (refused.json.includes('"ResultRefusedError"')) {
      this.pending.shift();
      this.ports.journal.acknowledged([refused.key]);
      this.ports.acknowledged(refused.key);
      return;
    }
    this.pending[0] = { key: refused.key, json, bytes: Buffer.byteLength(json) };
    this.backlogBytes += Buffer.byteLength(json);
    this.ports.journal.results([{ key: refused.key, json }]);
  }

  private later(): void {
    if (this.stopped) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.send();
      },
      backoffMs(this.failures, 200, 5000),
    );
  }
}
