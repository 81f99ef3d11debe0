import { createWorker, type EvenkeelWorker, type WorkerOptions } from '@evenkeel/sdk/worker';
import { GuardedHttp } from '../../callbacks/guarded-http.js';
import { dnsResolver } from '../../callbacks/guarded-resolver.js';
import { addressClassifier } from '../../decisions/address-class.js';
import { echo } from './handlers/echo.js';
import { fail } from './handlers/fail.js';
import { flaky } from './handlers/flaky.js';
import { httpCaller } from './handlers/http.js';
import { noop } from './handlers/noop.js';
import { shards } from './handlers/shards.js';
import { sleep } from './handlers/sleep.js';

export interface SampleWorkerOptions extends WorkerOptions {
  /** Networks (CIDR) the `http` handler may reach besides public addresses. */
  openNetworks?: string[];
  /** Called once the centre has taken the worker. */
  onReady?: (worker: EvenkeelWorker) => void;
}

/**
 * Runs the sample worker until SIGTERM or SIGINT, then drains it. Resolves when it has left; the caller then ends the process, which
 * also ends a handler that ignored its signal. Rejects if the centre will not have the worker. A second signal kills at once.
 */
export async function runSampleWorker({ openNetworks, onReady, ...options }: SampleWorkerOptions): Promise<void> {
  const worker = createWorker(options)
    .handle('noop', noop)
    .handle('echo', echo)
    .handle('sleep', sleep)
    .handle('fail', fail)
    .handle('flaky', flaky)
    .handle('http', httpCaller(guardedHttp(openNetworks)))
    .handle('shards', shards);
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  const started = worker.start().then(() => onReady?.(worker));
  started.catch(() => undefined);
  try {
    await Promise.race([asked, started.then(() => worker.displaced)]);
  } finally {
    await worker.stop();
  }
}

/** The connector of callbacks, with the networks this worker's operator opened. */
function guardedHttp(openNetworks: string[] | undefined): GuardedHttp {
  const classify = addressClassifier(openNetworks);
  return new GuardedHttp({ classify, resolve: dnsResolver(), reservedPorts: new Set(), devTargets: [] });
}
