import { LIMITS, type Problem } from '../contract/index.js';
import { EvenkeelProblem, jsonOf, problemOf, serverTimeOf } from '../transport/problem.js';
import { type Answer, SignedTransport } from '../transport/signed-transport.js';
import { TransportError } from '../transport/transport-error.js';
import { monotonicMs, type SharedClock } from './shared-clock.js';

export const SDK_NAME = 'evenkeel-sdk-node/0.1.0';

export interface ChannelOptions {
  urls: string[];
  key: string;
  secret: string;
}
/** A good answer, and when its request left (monotonic milliseconds). */
export interface Heard<T> {
  body: T;
  sentAt: number;
}

/**
 * The worker's line to the centre. Keeps to the URL that last answered and tries the others when it does not. Learns the centre's
 * clock from every answer that tells it, from a 401 too, and then signs once more.
 */
export class CentreChannel {
  private readonly transport: SignedTransport;
  private readonly bases: URL[];
  private preferred = 0;

  constructor(
    { urls, key, secret }: ChannelOptions,
    private readonly clock: SharedClock,
  ) {
    this.bases = urls.map((url) => new URL(url));
    this.transport = new SignedTransport({
      accessKey: key,
      secret,
      now: () => clock.centreNow(),
      maxSockets: 16,
      maxAnswerBytes: LIMITS.channelBodyBytes,
      userAgent: SDK_NAME,
    });
  }

  get width(): number {
    return this.bases.length;
  }

  /**
   * Asks one URL after the other until one takes the request. `patienceMs` is how long one may be silent before the next is asked
   * as well; an answer of the slower one still counts. Rejects with EvenkeelProblem (the centre's own no) or TransportError:
   * `refused` only if every URL refused at once or answered 5xx.
   */
  post<T>(target: string, body: string, patienceMs: number, timeoutMs: number): Promise<Heard<T>> {
    return new Promise((resolve, reject) => {
      const failures: unknown[] = [];
      let asked = 0;
      let timer: NodeJS.Timeout | undefined;
      const askNext = () => {
        clearTimeout(timer);
        if (asked === this.bases.length) return;
        const index = (this.preferred + asked++) % this.bases.length;
        if (asked < this.bases.length) timer = setTimeout(askNext, patienceMs);
        this.ask<T>(this.bases[index] as URL, target, body, timeoutMs).then(
          (heard) => {
            clearTimeout(timer);
            this.preferred = index;
            resolve(heard);
          },
          (error) => {
            failures.push(error);
            if (error instanceof EvenkeelProblem && error.status < 500) {
              clearTimeout(timer);
              reject(error);
            } else if (failures.length === this.bases.length) reject(verdictOf(failures));
            else if (failures.length === asked) askNext();
          },
        );
      };
      askNext();
    });
  }

  close(): void {
    this.transport.close();
  }

  private async ask<T>(base: URL, target: string, body: string, timeoutMs: number, again = true): Promise<Heard<T>> {
    const sentAt = monotonicMs();
    const answer = await this.transport.request({ base, method: 'POST', target, body, timeoutMs });
    const json = jsonOf(answer);
    const told = serverTimeOf(json);
    if (told !== undefined) this.clock.learn(told, sentAt, monotonicMs());
    if (answer.status >= 200 && answer.status < 300) return { body: json as T, sentAt };
    if (answer.status === 401 && told !== undefined && again) return this.ask(base, target, body, timeoutMs, false);
    throw problemFor(answer);
  }
}

function problemFor(answer: Answer): EvenkeelProblem {
  return new EvenkeelProblem(problemOf(answer));
}

function verdictOf(failures: unknown[]): unknown {
  const refusing = (error: unknown) =>
    error instanceof EvenkeelProblem || (error instanceof TransportError && error.failure === 'refused');
  if (failures.every(refusing)) return new TransportError('refused', textOf(failures));
  return new TransportError('silent', textOf(failures));
}

function textOf(failures: unknown[]): string {
  return failures.map((error) => (error instanceof Error ? error.message : String(error))).join('; ');
}

/** The centre does not know this incarnation (any more): register again. */
export function isUnknownHere(error: unknown): boolean {
  if (!(error instanceof EvenkeelProblem)) return false;
  const code: Problem['code'] = error.problem.code;
  return code === 'not_found' || error.status === 404 || error.status === 409;
}
