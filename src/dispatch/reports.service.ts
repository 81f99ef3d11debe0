import type { AttemptReport, AttemptResult, CancelOrder, ResultAck } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { STATE_CODE } from '../decisions/state-codes.js';
import { SqlDialect } from '../ports.js';
import { LifecycleService } from '../tasks/lifecycle.service.js';
import { TaskStore } from '../tasks/task.store.js';
import { RunningBuffer } from './running-buffer.js';

interface Waiting {
  workerId: string;
  results: AttemptResult[];
  resolve: (acks: ResultAck[]) => void;
  reject: (error: unknown) => void;
}

const BATCH = 500;
const LOOK_UP = 500;

/**
 * What workers report. Results of one worker that arrive while a batch commits share the next one; an acknowledgement is given
 * only after the commit, so a worker that saw none sends the result again and the second is a `duplicate`.
 */
@Injectable()
export class ReportsService {
  private readonly queues = new Map<string, Waiting[]>();

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: TaskStore,
    private readonly lifecycle: LifecycleService,
    private readonly buffer: RunningBuffer,
  ) {}

  /** Settles the attempts; the acknowledgements come in the order of the results. */
  apply(workerId: string, results: AttemptResult[]): Promise<ResultAck[]> {
    if (results.length === 0) return Promise.resolve([]);
    for (const { taskId, lease } of results) this.buffer.forget(taskId, lease, workerId);
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(workerId);
      const waiting = { workerId, results, resolve, reject };
      if (queue) queue.push(waiting);
      else {
        this.queues.set(workerId, [waiting]);
        setImmediate(() => this.drain(workerId));
      }
    });
  }

  /** What the centre wants done with the attempts a worker names: stop those, forget these. */
  async review(
    attempts: readonly AttemptReport[],
  ): Promise<{ cancel: CancelOrder[]; abandon: { taskId: string; lease: number }[] }> {
    const cancel: CancelOrder[] = [];
    const abandon: { taskId: string; lease: number }[] = [];
    for (let i = 0; i < attempts.length; i += LOOK_UP) {
      const named = attempts.slice(i, i + LOOK_UP);
      const rows = new Map(
        (
          await this.store.statesOf(
            this.dialect.root,
            named.map((attempt) => attempt.taskId),
          )
        ).map((row) => [row.id, row]),
      );
      for (const { taskId, lease, phase } of named) {
        const row = rows.get(taskId);
        const live = row && row.lease === lease && (row.state === STATE_CODE.DISPATCHED || row.state === STATE_CODE.RUNNING);
        if (row?.lease === lease && row.reason === 'did_not_stop')
          cancel.push({ taskId, lease, reason: row.state === STATE_CODE.TIMED_OUT ? 'timed_out' : 'cancelled' });
        else if (!live) {
          if (phase !== 'reporting') abandon.push({ taskId, lease });
        } else if (row.cancel_asked_at !== null) cancel.push({ taskId, lease, reason: 'cancelled' });
      }
    }
    return { cancel, abandon };
  }

  private async drain(workerId: string): Promise<void> {
    const queue = this.queues.get(workerId) as Waiting[];
    while (queue.length > 0) {
      let count = 0;
      const taken: Waiting[] = [];
      while (queue.length > 0 && (taken.length === 0 || count + (queue[0] as Waiting).results.length <= BATCH)) {
        const next = queue.shift() as Waiting;
        count += next.results.length;
        taken.push(next);
      }
      await this.settle(workerId, taken);
    }
    this.queues.delete(workerId);
  }

  private async settle(workerId: string, taken: Waiting[]): Promise<void> {
    try {
      const acks: ResultAck[] = [];
      const results = taken.flatMap((waiting) => waiting.results);
      for (let i = 0; i < results.length; i += BATCH)
        acks.push(...(await this.lifecycle.settle(workerId, results.slice(i, i + BATCH))));
      let from = 0;
      for (const { results: own, resolve } of taken) {
        resolve(acks.slice(from, from + own.length));
        from += own.length;
      }
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
