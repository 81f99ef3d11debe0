import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS, type RegisterAnswer, type RegisterRequest, type ResultAck, type ResultsAnswer } from '../contract/index.js';
import { EvenkeelProblem } from '../transport/problem.js';
import { backoffMs } from './backoff.js';
import type { CentreChannel, Heard } from './centre-channel.js';
import { RegistrationRefused } from './errors.js';
import type { Unreported } from './journal.js';
import type { Logger } from './logger.js';

const UNREPORTED_BYTES = LIMITS.channelRequestBytes - 64 * 1024;
/** A no that waiting may turn into a yes: keys are enabled, routes deployed, limits lifted. */
const WORTH_WAITING: ReadonlySet<number> = new Set([401, 403, 404, 408, 429]);

export interface RegistrationPorts {
  channel: CentreChannel;
  logger: Logger;
  signal: AbortSignal;
  acknowledged: (acks: ResultAck[]) => void;
}

/**
 * Asks until the centre takes the worker. Results of earlier lives go along; what does not fit into one request is delivered
 * before it, in the name of the life that produced it, because registering makes the centre recover that life's attempts.
 * Rejects with RegistrationRefused if asking again is pointless, or with the signal's reason.
 */
export async function register(
  request: Omit<RegisterRequest, 'unreported'>,
  unreported: Unreported[],
  ports: RegistrationPorts,
): Promise<Heard<RegisterAnswer>> {
  const [along, ...ahead] = inParts(unreported);
  for (let failures = 0; ; ) {
    ports.signal.throwIfAborted();
    try {
      while (ahead[0] !== undefined) {
        await deliverAhead(request.workerId, ahead[0], ports);
        ahead.shift();
      }
      const head = JSON.stringify(request).slice(0, -1);
      const body = `${head},"unreported":[${(along ?? []).map(({ json }) => json).join(',')}]}`;
      const heard = await ports.channel.post<RegisterAnswer>('/worker/v1/register', body, 3000, 10_000);
      ports.acknowledged(heard.body.acks ?? []);
      return heard;
    } catch (error) {
      failures++;
      explain(error, request.workerId, failures, ports.logger);
      await delay(backoffMs(failures, 250, 10_000), undefined, { signal: ports.signal });
    }
  }
}

/** Parts that each fit into a request and hold one life's results; the last life's last part first, to go along. */
function inParts(unreported: Unreported[]): Unreported[][] {
  const parts: Unreported[][] = [];
  let bytes = 0;
  for (const each of unreported) {
    const size = Buffer.byteLength(each.json) + 1;
    const part = parts.at(-1);
    if (part !== undefined && bytes + size <= UNREPORTED_BYTES) {
      part.push(each);
      bytes += size;
    } else {
      parts.push([each]);
      bytes = size;
    }
  }
  return parts.reverse();
}

/** A centre that says no to this keeps the results for later: they are sent again after the registration. */
async function deliverAhead(
  workerId: string,
  part: Unreported[],
  { channel, acknowledged, logger }: RegistrationPorts,
): Promise<void> {
  for (const incarnation of new Set(part.map((each) => each.incarnation))) {
    const results = part.filter((each) => each.incarnation === incarnation).map(({ json }) => json);
    const body = `${JSON.stringify({ workerId, incarnation }).slice(0, -1)},"results":[${results.join(',')}]}`;
    try {
      const { body: answer } = await channel.post<ResultsAnswer>('/worker/v1/results', body, 3000, 15_000);
      acknowledged(answer.acks ?? []);
    } catch (error) {
      if (!(error instanceof EvenkeelProblem) || error.status >= 500) throw error;
      logger.warn('results of an earlier life not taken', { incarnation, error });
    }
  }
}

function explain(error: unknown, workerId: string, failures: number, logger: Logger): void {
  if (!(error instanceof EvenkeelProblem) || error.status >= 500) {
    if (failures === 1 || failures % 10 === 0) logger.warn('centre not reached: will ask again', { failures, error });
    return;
  }
  if (error.code === 'worker_id_in_use') {
    const message = `workerId "${workerId}" is in use by another live worker: give this one another workerId (or dataDir), or stop the other first`;
    throw new RegistrationRefused(message, error.code);
  }
  if (!WORTH_WAITING.has(error.status)) {
    const fields = error.problem.errors?.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ');
    throw new RegistrationRefused(`the centre refuses the registration: ${fields || error.message}`, error.code);
  }
  const why =
    error.status === 401 || error.status === 403
      ? 'the centre refuses this worker key: check key, secret and groups'
      : error.message;
  if (failures === 1 || failures % 10 === 0)
    logger.error('registration refused: will ask again', { why, code: error.code, status: error.status });
}
