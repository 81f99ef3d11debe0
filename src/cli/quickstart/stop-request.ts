/** npm passes a terminal's Ctrl-C on to a process that has received it already: a second signal this soon is the same one. */
const SAME_SIGNAL_MS = 1000;

/** Somebody asked the program to stop; no failure. */
export class StopRequested extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.name = 'StopRequested';
  }
}

/** Rejects with StopRequested at the first SIGINT, SIGTERM or SIGHUP. Later ones call `impatient`. */
export function stopRequested(impatient: () => void): Promise<never> {
  const request = new Promise<never>((_, reject) => {
    let askedAt: number | undefined;
    const ask = (signal: NodeJS.Signals) => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        reject(new StopRequested(signal));
      } else if (performance.now() - askedAt > SAME_SIGNAL_MS) impatient();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  });
  request.catch(() => {}); // It may come between two things that wait for it.
  return request;
}
