/** Thrown by `within`. */
export class DeadlineError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
    this.name = 'DeadlineError';
  }
}

interface Waiting {
  /** Monotonic. */
  until: number;
  settled: boolean;
  expire: () => void;
}

/** The waiting calls of each limit in the order of their deadlines, watched by one timer: a timer each would cost more than the call. */
const queues = new Map<number, Waiting[]>();

/**
 * The promise's outcome, or a DeadlineError after the limit. When the timer fires, answers that have arrived but were not read yet
 * (this process was busy, not the other side) are still taken.
 */
export function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(new DeadlineError(limitMs));
    const waiting: Waiting = { until: performance.now() + limitMs, settled: false, expire };
    watch(limitMs, waiting);
    promise.then(
      (value) => {
        waiting.settled = true;
        resolve(value);
      },
      (error) => {
        waiting.settled = true;
        reject(error);
      },
    );
  });
}

function watch(limitMs: number, waiting: Waiting): void {
  const queue = queues.get(limitMs);
  if (queue) {
    queue.push(waiting);
    return;
  }
  queues.set(limitMs, [waiting]);
  setTimeout(() => sweep(limitMs), limitMs);
}

function sweep(limitMs: number): void {
  const queue = queues.get(limitMs) ?? [];
  const now = performance.now();
  let passed = 0;
  for (; passed < queue.length; passed++) {
    const waiting = queue[passed] as Waiting;
    if (!waiting.settled && waiting.until > now) break;
    if (!waiting.settled) setImmediate(() => setImmediate(waiting.expire));
  }
  queue.splice(0, passed);
  const next = queue[0];
  if (next) setTimeout(() => sweep(limitMs), Math.max(1, next.until - now));
  else queues.delete(limitMs);
}
