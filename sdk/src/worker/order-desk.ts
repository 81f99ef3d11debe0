import type {
  CancelAnswer,
  CancelOrder,
  OrderAnswer,
  OrderOutcome,
  RunAnswer,
  RunRequest,
  TaskOrder,
  WorkerFigures,
} from '../contract/index.js';
import type { AnswerMemory, FinalAnswer } from './answer-memory.js';
import { Attempt, attemptKey } from './attempt.js';
import type { AttemptTable } from './attempt-table.js';
import type { Capacity, Limit } from './capacity.js';
import type { Epochs } from './epochs.js';
import type { Handler } from './handler.js';
import type { Logger } from './logger.js';

export interface OrderDeskPorts {
  workerId: string;
  incarnation: string;
  handlers: ReadonlyMap<string, Handler>;
  table: AttemptTable;
  memory: AnswerMemory;
  epochs: Epochs;
  logger: Logger;
  /** Looks at the fence and aborts what ran across it, before anything new is taken. */
  fenced: () => boolean;
  draining: () => boolean;
  capacity: Capacity;
  /** Results lie here that the centre does not take: nothing more is accepted. */
  congested: () => boolean;
  /** As they are now, with the next number. */
  figures: () => WorkerFigures;
  /** On disk before the answer is. If the process dies after this, a later life answers `duplicate` and runs nothing. */
  journalAccepted: (keys: string[]) => void;
  /** Attempts are handed over; none may start before the answer has left. */
  take: (attempts: Attempt[]) => void;
  cancel: (attempt: Attempt, order: CancelOrder) => void;
}

/**
 * Answers orders. The answer to a (task, lease) is final: whoever asks again hears the same, or `duplicate` for an accepted one.
 * Two answers are about the asker and not about the task, and are given anew each time: `stale_incarnation` and `stale_epoch`.
 */
export class OrderDesk {
  constructor(private readonly ports: OrderDeskPorts) {}

  run(request: RunRequest, sender: string): RunAnswer {
    const { ports } = this;
    const accepted: Attempt[] = [];
    const ours = request.workerId === ports.workerId && request.incarnation === ports.incarnation;
    const fenced = ports.fenced();
    const seenEpoch = ports.epochs.of(request.partition);
    const results = request.tasks.map((order): OrderAnswer => {
      const { taskId, lease } = order;
      if (!ours) return { taskId, lease, outcome: 'stale_incarnation' };
      const known = this.knownAnswer(attemptKey(taskId, lease));
      if (known !== undefined) return { taskId, lease, outcome: known };
      if (request.epoch < seenEpoch) return { taskId, lease, outcome: 'stale_epoch', seenEpoch };
      const limits = ports.capacity.limitsOf(order);
      const outcome = this.decide(order, fenced, limits);
      if (outcome === 'accepted' && limits !== undefined) {
        const attempt = new Attempt(order, ports.handlers.get(order.handler) as Handler, limits);
        for (const limit of limits) limit.waiting++;
        accepted.push(attempt);
        ports.table.add(attempt);
      }
      ports.memory.remember(attemptKey(taskId, lease), outcome);
      ports.logger.debug('order received', { taskId, lease, attempt: order.attempt, sender, outcome });
      return { taskId, lease, outcome };
    });
    if (ours) ports.epochs.observe(request.partition, request.epoch);
    if (accepted.length > 0) {
      ports.journalAccepted(accepted.map((attempt) => attempt.key));
      ports.take(accepted);
    }
    return { results, ...ports.figures() };
  }

  cancel(orders: CancelOrder[]): CancelAnswer['results'] {
    return orders.map((order) => {
      const { taskId, lease } = order;
      const key = attemptKey(taskId, lease);
      const attempt = this.ports.table.get(key);
      if (attempt !== undefined && attempt.phase !== 'reporting') {
        this.ports.cancel(attempt, order);
        return { taskId, lease, outcome: 'stopping' };
      }
      if (attempt !== undefined || this.ports.memory.get(key) === 'accepted') return { taskId, lease, outcome: 'finished' };
      // The order may still be on its way: it must not run when it comes.
      if (this.ports.memory.get(key) === undefined) this.ports.memory.remember(key, 'no_lease');
      return { taskId, lease, outcome: 'unknown' };
    });
  }

  private knownAnswer(key: string): OrderOutcome | undefined {
    if (this.ports.table.get(key) !== undefined) return 'duplicate';
    const answer = this.ports.memory.get(key);
    return answer === 'accepted' ? 'duplicate' : answer;
  }

  private decide(order: TaskOrder, fenced: boolean, limits: readonly Limit[] | undefined): FinalAnswer {
    if (fenced) return 'no_lease';
    if (this.ports.draining()) return 'draining';
    if (!this.ports.handlers.has(order.handler)) return 'unknown_handler';
    if (limits === undefined || this.ports.congested()) return 'busy';
    return limits.every(({ room }) => room > 0) ? 'accepted' : 'busy';
  }
}
