import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptResult, CancelReason, HealthAnswer, OrderOutcome, RunAnswer, TaskOrder } from '@evenkeel/sdk/contract';
import { parseCancelAnswer, parseHealthAnswer, parseRunAnswer } from '../../dispatch/worker-answers.js';
import type { CheckCentre } from './check-centre.js';
import type { LaunchedWorker } from './launched-worker.js';
import type { WorkerCaller } from './worker-caller.js';

/** A sentence about what the worker does wrong. */
export class Fault extends Error {}
/** The check could not be made; why. */
export class Skip extends Error {}

export interface Work {
  handler: string;
  params: unknown;
}
export interface Identity {
  workerId: string;
  incarnation: string;
}
export interface RunParts {
  caller: WorkerCaller;
  /** Absent: the worker belongs to another centre, so nothing may really run. */
  centre?: CheckCentre;
  process?: LaunchedWorker;
  quick?: Work;
  slow?: Work;
}

export const PARTITION = 9999;
/** How long a worker may take over what it should do at once. */
const SOON_MS = 8000;

/** What the checks share: the worker, and how to give it orders. Whatever it answers wrongly becomes a Fault. */
export class CheckRun {
  epoch = 10;
  private made = 0;
  private readonly started = Date.now().toString(36).toUpperCase();

  constructor(
    private readonly parts: RunParts,
    public identity: Identity,
  ) {}

  get caller(): WorkerCaller {
    return this.parts.caller;
  }
  /** After a restart it listens elsewhere. */
  moveTo(caller: WorkerCaller, identity: Identity): void {
    this.parts.caller = caller;
    this.identity = identity;
  }
  get centre(): CheckCentre {
    return this.mustBeOurs();
  }
  get process(): LaunchedWorker {
    this.mustBeOurs();
    if (this.parts.process === undefined) throw new Skip('needs a worker that this command starts: use --run "<command>"');
    return this.parts.process;
  }
  get quick(): Work {
    this.mustBeOurs();
    if (this.parts.quick === undefined) throw new Skip('needs a handler that succeeds at once: use --handler');
    return this.parts.quick;
  }
  get slow(): Work {
    this.mustBeOurs();
    if (this.parts.slow === undefined)
      throw new Skip('needs a handler that takes a minute and listens to aborts: use --slow-handler');
    return this.parts.slow;
  }

  /** On a worker of another centre nothing may really run, and nobody would hear its beats and results. */
  private mustBeOurs(): CheckCentre {
    if (this.parts.centre === undefined) throw new Skip('needs a worker that this command is the centre of: leave the URL out');
    return this.parts.centre;
  }

  order(work: Work, change: Partial<TaskOrder> = {}): TaskOrder {
    const taskId = `task_CHECK${this.started}${String(++this.made).padStart(6, '0')}`;
    return {
      taskId,
      lease: 2,
      attempt: 1,
      handler: work.handler,
      params: work.params as TaskOrder['params'],
      priority: 5,
      timeoutMs: 0,
      scheduledAt: Date.now(),
      idempotencyKey: taskId,
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      ...change,
    };
  }

  request(tasks: unknown[], change: object = {}): unknown {
    return { partition: PARTITION, epoch: this.epoch, ...this.identity, tasks, ...change };
  }

  /** A well-formed request must be answered with 200 and one outcome for each of its tasks. */
  async run(tasks: TaskOrder[], change: object = {}): Promise<RunAnswer> {
    const { status, text } = await this.caller.call('POST', '/run', this.request(tasks, change));
    if (status !== 200) throw new Fault(`a well-formed POST /run is answered ${said(status, text)} instead of 200`);
    const parsed = parseRunAnswer(text, tasks);
    if ('wrong' in parsed) throw new Fault(`POST /run: ${parsed.wrong}`);
    return parsed.answer;
  }

  async outcomes(tasks: TaskOrder[], change: object = {}): Promise<OrderOutcome[]> {
    return (await this.run(tasks, change)).results.map(({ outcome }) => outcome);
  }

  /** One order, and what it must be answered. */
  async expect(outcome: OrderOutcome | OrderOutcome[], task: TaskOrder, when: string, change: object = {}): Promise<void> {
    const [given] = await this.outcomes([task], change);
    if (![outcome].flat().includes(given as OrderOutcome))
      throw new Fault(`${when} is answered "${given}" instead of "${[outcome].flat().join('" or "')}"`);
  }

  async cancel(task: TaskOrder, reason: CancelReason = 'cancelled'): Promise<string> {
    const order = { taskId: task.taskId, lease: task.lease, reason };
    const { status, text } = await this.caller.call('POST', '/cancel', { tasks: [order] });
    if (status !== 200) throw new Fault(`a well-formed POST /cancel is answered ${said(status, text)} instead of 200`);
    const parsed = parseCancelAnswer(text, [order]);
    if ('wrong' in parsed) throw new Fault(`POST /cancel: ${parsed.wrong}`);
    return parsed.answer.results[0]?.outcome ?? '';
  }

  async health(): Promise<HealthAnswer> {
    const { status, text } = await this.caller.call('GET', '/health');
    if (status !== 200) throw new Fault(`GET /health is answered ${said(status, text)} instead of 200`);
    const parsed = parseHealthAnswer(text);
    if ('wrong' in parsed) throw new Fault(`GET /health: ${parsed.wrong}`);
    return parsed.answer;
  }

  async result(task: TaskOrder, withinMs = SOON_MS): Promise<AttemptResult> {
    const told = () => this.centre.resultsOf(task.taskId).find(({ lease }) => lease === task.lease);
    return this.until(told, `no result of an accepted attempt arrives within ${withinMs / 1000} s`, withinMs);
  }

  /** `fault` is said if nothing comes of it in time. */
  async until<T>(look: () => T | undefined | false, fault: string, withinMs = SOON_MS): Promise<T> {
    const end = performance.now() + withinMs;
    for (;;) {
      const seen = look();
      if (seen !== undefined && seen !== false) return seen;
      if (performance.now() > end) throw new Fault(fault);
      await delay(20);
    }
  }
}

export function said(status: number, text: string): string {
  return status === 0 ? `not at all (${text})` : `${status}${status >= 400 && text !== '' ? ` (${text.slice(0, 200)})` : ''}`;
}
