/** Thrown by `within`. */
export class DeadlineError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
    this.name = 'DeadlineError';
  }
}

/**
 * The promise's outcome, or a DeadlineError after the limit. When the timer fires, answers that have arrived but were not read yet
 * (this process was busy, not the other side) are still taken.
 */
export async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => setImmediate(() => reject(new DeadlineError(limitMs)))), limitMs);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
