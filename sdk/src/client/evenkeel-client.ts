import { randomUUID } from 'node:crypto';
import {
  type BackfillAnswer,
  type BackfillJob,
  type BackfillList,
  type BatchAnswer,
  type BatchItemResult,
  type ChangeJob,
  type CreateJob,
  EK1_PATTERNS,
  type EventReceipt,
  isTerminal,
  type JobList,
  type JobReceipt,
  type JobStateName,
  type JobVersionList,
  type JobView,
  type Json,
  LIMITS,
  type MeAnswer,
  type NextFires,
  type RestoreJob,
  type SubmitTask,
  type TaskList,
  type TaskLogPage,
  type TaskReceipt,
  type TaskState,
  type TaskView,
  type TriggerJob,
} from '../contract/index.js';
import type { Task } from '../task/task.js';
import { EvenkeelProblem, jsonOf, problemOf, serverTimeOf } from '../transport/problem.js';
import { SignedTransport } from '../transport/signed-transport.js';
import { withRetries } from './retries.js';
import { pathPart, queryText } from './target.js';
import { Webhooks } from './webhooks.js';

export interface ClientOptions {
  /** Where the centre is, without `/openapi/v1`. */
  url: string;
  accessKey: string;
  secretKey: string;
  /** How long one request may take. Default 10 000; a long poll has its waiting time on top. */
  timeoutMs?: number;
  /** How long a request is repeated in all. Default 30 000; 0 = never. */
  retryForMs?: number;
}
export type SubmitOptions = Omit<SubmitTask, 'handler' | 'params'>;
/** `timeoutMs` is here how long to wait; the limit of one attempt is the handler's own or the centre's. */
export type RunOptions = Omit<SubmitOptions, 'timeoutMs'> & { timeoutMs?: number };
export type BatchItem = SubmitTask;
export interface ListQuery {
  status?: TaskState;
  clientRequestId?: string;
  handler?: string;
  jobId?: string;
  flowId?: string;
  /** The shards of this task; without it no shards are listed. */
  parentId?: string;
  createdAfter?: string;
  createdBefore?: string;
  limit?: number;
  cursor?: string;
}

export interface JobQuery {
  group?: string;
  key?: string;
  state?: JobStateName;
  limit?: number;
  cursor?: string;
}

/** The time given to `wait` is over; the task goes on. */
export class WaitTimeoutError extends Error {
  constructor(
    readonly taskId: string,
    readonly status: TaskState,
  ) {
    super(`task ${taskId} is still ${status}`);
    this.name = 'WaitTimeoutError';
  }
}

/** What a client cares about of a task: what is sent, and what is stored. */
// biome-ignore lint/suspicious/noExplicitAny: what lies between is the worker's
type Submittable<Input, Result> = Task<Input, any, any, Result>;
/** What `submit` returns: the receipt, and for the compiler what the task's handler will answer. */
export type SubmittedTask<Result = unknown> = TaskReceipt & { readonly [answers]?: Result };
declare const answers: unique symbol;
/** A task that has ended; `result` is null unless it SUCCEEDED. */
export type EndedTask<Result = Json> = Omit<TaskView, 'result'> & { result: Result | null };
/** What became of a task within the time of one request: its end, however it was, or the receipt to wait with. */
export type QuickRun<Result = Json> = { ended: true; task: EndedTask<Result> } | { ended: false; receipt: SubmittedTask<Result> };

/** `run`: the task ended, but not well. `task.status`, `task.reason` and `task.error` say how. */
export class TaskNotSucceededError extends Error {
  constructor(readonly task: TaskView) {
    super(
      `task ${task.id} ended ${task.status}${task.error ? `: ${task.error.message}` : task.reason ? `: ${task.reason}` : ''}`,
    );
    this.name = 'TaskNotSucceededError';
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const BASE = '/openapi/v1';
const QUICK_MS = 3_000;
const ANSWER_BYTES = 16 * 1024 * 1024;
const BATCH_BYTES = LIMITS.partnerBatchBytes - 1024;

/** Submits and follows tasks. Every refusal is an EvenkeelProblem with the centre's `code`; no answer at all is a TransportError. */
export class EvenkeelClient {
  /** Endpoints that hear of ends, and the log of callbacks. */
  readonly webhooks: Webhooks;
  private readonly base: URL;
  private readonly transport: SignedTransport;
  private readonly timeoutMs: number;
  private readonly retryForMs: number;
  private clockOffsetMs = 0;

  constructor({ url, accessKey, secretKey, timeoutMs = 10_000, retryForMs = 30_000 }: ClientOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`url: not an http(s) URL: ${url}`);
    if (!EK1_PATTERNS.partnerKey.test(accessKey)) throw new TypeError('accessKey: not an access key (ak_live_… or ak_test_…)');
    if (typeof secretKey !== 'string' || secretKey === '') throw new TypeError('secretKey: is missing');
    this.base = new URL(url);
    this.timeoutMs = timeoutMs;
    this.retryForMs = retryForMs;
    this.transport = new SignedTransport({
      accessKey,
      secret: secretKey,
      now: () => Date.now() + this.clockOffsetMs,
      maxSockets: 16,
      maxAnswerBytes: ANSWER_BYTES,
      userAgent: 'evenkeel-sdk-node/0.1.0',
    });
    this.webhooks = new Webhooks((method, path, body, repeatable) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      return repeatable ? this.request(method, path, text) : this.exchange(method, path, text, 0);
    });
  }

  /** Resolves once the task is stored. Without a `clientRequestId` one is made up, so that repeating cannot submit twice. */
  submit<Input, Result>(task: Submittable<Input, Result>, input: Input, options?: SubmitOptions): Promise<SubmittedTask<Result>>;
  submit(handler: string, params?: unknown, options?: SubmitOptions): Promise<TaskReceipt>;
  submit(task: { name: string } | string, params?: unknown, options: SubmitOptions = {}): Promise<TaskReceipt> {
    const handler = typeof task === 'string' ? task : task.name;
    const body = { ...options, clientRequestId: options.clientRequestId ?? randomUUID(), handler, params };
    return this.post('/tasks', body);
  }

  /** Submits and waits. Rejects with TaskNotSucceededError if it ends otherwise, with WaitTimeoutError if it does not end in time. */
  async run<Input, Result>(task: Submittable<Input, Result>, input: Input, options: RunOptions = {}): Promise<Result> {
    const { timeoutMs, ...submission } = options;
    const ended = await this.wait(await this.submit(task, input, submission), { timeoutMs });
    if (ended.status !== 'SUCCEEDED') throw new TaskNotSucceededError(ended as TaskView);
    return ended.result as Result;
  }

  /**
   * Submits and stays for the end, three seconds at most (`POST /tasks/run`): one request for work that is quick. Refused with
   * `use_async` for work known to take longer.
   */
  async runNow<Input, Result>(
    task: Submittable<Input, Result> | string,
    input: Input,
    options: SubmitOptions = {},
  ): Promise<QuickRun<Result>> {
    const handler = typeof task === 'string' ? task : task.name;
    const body = { ...options, clientRequestId: options.clientRequestId ?? randomUUID(), handler, params: input };
    const answer = await this.request<TaskReceipt | EndedTask<Result>>('POST', '/tasks/run', JSON.stringify(body), QUICK_MS);
    return isTerminal(answer.status)
      ? { ended: true, task: answer as EndedTask<Result> }
      : { ended: false, receipt: answer as SubmittedTask<Result> };
  }

  /** Items succeed and fail each on its own; more than 500 are sent in several requests. Missing `clientRequestId`s are made up. */
  async submitBatch(items: BatchItem[]): Promise<BatchAnswer> {
    const whole: BatchAnswer = { summary: { accepted: 0, replayed: 0, rejected: 0 }, results: [] };
    for (const part of inParts(items.map((item) => ({ ...item, clientRequestId: item.clientRequestId ?? randomUUID() })))) {
      const answer = await this.post<BatchAnswer>('/tasks/batch', part.items);
      for (const outcome of ['accepted', 'replayed', 'rejected'] as const) whole.summary[outcome] += answer.summary[outcome];
      const moved = answer.results.map((each): BatchItemResult => ({ ...each, index: each.index + part.from }));
      whole.results.push(...moved);
    }
    return whole;
  }

  /** `wait`: seconds (0 to 30) to hold the answer back until the task has ended. */
  get(id: string, { wait = 0 }: { wait?: number } = {}): Promise<TaskView> {
    return this.request('GET', `/tasks/${pathPart(id)}${wait > 0 ? `?wait=${wait}` : ''}`, '', wait * 1000);
  }

  /** Resolves with the ended task, whatever its end. Rejects with WaitTimeoutError; waits for ever without `timeoutMs`. */
  wait<Result>(task: SubmittedTask<Result>, options?: { timeoutMs?: number }): Promise<EndedTask<Result>>;
  wait(id: string, options?: { timeoutMs?: number }): Promise<TaskView>;
  async wait(task: TaskReceipt | string, options: { timeoutMs?: number } = {}): Promise<TaskView> {
    const { timeoutMs = Number.POSITIVE_INFINITY } = options;
    const id = typeof task === 'string' ? task : task.id;
    const end = performance.now() + timeoutMs;
    for (;;) {
      const left = end - performance.now();
      const wait = Math.min(LIMITS.waitSeconds, Math.max(0, Math.ceil(left / 1000)));
      const view = await this.get(id, { wait });
      if (isTerminal(view.status)) return view;
      if (performance.now() >= end) throw new WaitTimeoutError(id, view.status);
    }
  }

  list(query: ListQuery = {}): Promise<TaskList> {
    return this.request('GET', `/tasks${queryText(query)}`);
  }

  /** What its attempts logged, in order; `wait`: seconds (0 to 30) to hold the answer back until there is a line. */
  logs(id: string, { wait = 0, ...query }: { cursor?: string; limit?: number; wait?: number } = {}): Promise<TaskLogPage> {
    const text = queryText(wait > 0 ? { ...query, wait } : query);
    return this.request('GET', `/tasks/${pathPart(id)}/logs${text}`, '', wait * 1000);
  }

  /** CANCELLED at once, or `cancelRequested` on a running task. */
  cancel(id: string): Promise<TaskView> {
    return this.request('POST', `/tasks/${pathPart(id)}/cancel`);
  }

  /**
   * Another attempt of a task that ended FAILED, TIMED_OUT or CANCELLED; its flow goes on from there. Not repeated by itself: without
   * an answer, look at the task before asking again.
   */
  retry(id: string): Promise<TaskView> {
    return withRetries(0, () => this.exchange('POST', `/tasks/${pathPart(id)}/retry`, '', 0));
  }

  /** Fires the jobs that listen to the event. Without a `clientRequestId` one is made up, so that repeating cannot fire twice. */
  sendEvent(
    name: string,
    payload?: unknown,
    { clientRequestId = randomUUID() }: { clientRequestId?: string } = {},
  ): Promise<EventReceipt> {
    return this.post('/events', { clientRequestId, name, payload });
  }

  /** Without a `clientRequestId` one is made up, so that repeating cannot create twice. */
  createJob(job: CreateJob): Promise<JobReceipt> {
    return this.post('/jobs', { ...job, clientRequestId: job.clientRequestId ?? randomUUID() });
  }

  listJobs(query: JobQuery = {}): Promise<JobList> {
    return this.request('GET', `/jobs${queryText(query)}`);
  }

  getJob(id: string): Promise<JobView> {
    return this.request('GET', `/jobs/${pathPart(id)}`);
  }

  /**
   * Replaces the whole definition; refused with `version_conflict` unless made from the current version. Without an answer it is not
   * repeated by itself, or it would meet its own change: look at the job before asking again.
   */
  changeJob(id: string, job: ChangeJob): Promise<JobView> {
    return this.change('PUT', `/jobs/${pathPart(id)}`, job);
  }

  async deleteJob(id: string): Promise<void> {
    await this.request('DELETE', `/jobs/${pathPart(id)}`);
  }

  pauseJob(id: string, reason?: string): Promise<JobView> {
    return this.post(`/jobs/${pathPart(id)}/pause`, { reason });
  }

  resumeJob(id: string): Promise<JobView> {
    return this.request('POST', `/jobs/${pathPart(id)}/resume`);
  }

  /** One task now; `params` instead of the job's own. Without a `clientRequestId` one is made up, so that repeating cannot run twice. */
  triggerJob(id: string, run: TriggerJob = {}): Promise<TaskView> {
    return this.post(`/jobs/${pathPart(id)}/trigger`, { ...run, clientRequestId: run.clientRequestId ?? randomUUID() });
  }

  jobVersions(id: string): Promise<JobVersionList> {
    return this.request('GET', `/jobs/${pathPart(id)}/versions`);
  }

  /** An earlier definition becomes the next version; `version` is the current one. Without an answer as `changeJob`. */
  restoreJob(id: string, restore: RestoreJob): Promise<JobView> {
    return this.change('POST', `/jobs/${pathPart(id)}/restore`, restore);
  }

  /** Without a `clientRequestId` one is made up, so that repeating cannot make up for a fire twice. */
  backfillJob(id: string, backfill: BackfillJob): Promise<BackfillAnswer> {
    return this.post(`/jobs/${pathPart(id)}/backfill`, {
      ...backfill,
      clientRequestId: backfill.clientRequestId ?? randomUUID(),
    });
  }

  backfills(id: string): Promise<BackfillList> {
    return this.request('GET', `/jobs/${pathPart(id)}/backfills`);
  }

  nextFires(id: string, n = 5): Promise<NextFires> {
    return this.request('GET', `/jobs/${pathPart(id)}/next-fires?n=${n}`);
  }

  me(): Promise<MeAnswer> {
    return this.request('GET', '/me');
  }

  /** Closes the kept-alive connections. */
  close(): void {
    this.transport.close();
  }

  private post<T>(path: string, body: unknown): Promise<T> {
    return this.request('POST', path, JSON.stringify(body));
  }

  private change<T>(method: Method, path: string, body: unknown): Promise<T> {
    const text = JSON.stringify(body);
    return withRetries(this.retryForMs, () => this.exchange<T>(method, path, text, 0), { onlyUndone: true });
  }

  private request<T>(method: Method, path: string, body = '', waitMs = 0): Promise<T> {
    let unanswered = false;
    return withRetries(this.retryForMs, async () => {
      try {
        return await this.exchange<T>(method, path, body, waitMs);
      } catch (error) {
        const isProblem = error instanceof EvenkeelProblem;
        // Its own earlier attempt, whose answer was lost, has deleted it.
        if (method === 'DELETE' && unanswered && isProblem && error.code === 'not_found') return undefined as T;
        unanswered ||= !isProblem || error.status >= 500;
        throw error;
      }
    });
  }

  private async exchange<T>(method: Method, path: string, body: string, waitMs: number, again = true): Promise<T> {
    const timeoutMs = this.timeoutMs + waitMs;
    const answer = await this.transport.request({ base: this.base, method, target: BASE + path, body, timeoutMs });
    if (answer.status === 204) return undefined as T;
    const json = jsonOf(answer);
    if (answer.status >= 200 && answer.status < 300 && json !== undefined) return json as T;
    const problem = problemOf(answer);
    const told = serverTimeOf(json);
    if (problem.code === 'timestamp_out_of_range' && told !== undefined && again) {
      this.clockOffsetMs = told - Date.now();
      return this.exchange(method, path, body, waitMs, false);
    }
    const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN);
    throw new EvenkeelProblem(Number.isFinite(retryAfter) ? { ...problem, retryAfterSeconds: retryAfter } : problem);
  }
}

export function createClient(options: ClientOptions): EvenkeelClient {
  return new EvenkeelClient(options);
}

/** Parts of at most 500 items and 4 MiB. */
function* inParts<T>(items: T[]): Generator<{ from: number; items: { items: T[] } }> {
  let part: T[] = [];
  let bytes = 0;
  let from = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length === LIMITS.batchItems || (part.length > 0 && bytes + size > BATCH_BYTES)) {
      yield { from, items: { items: part } };
      from += part.length;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield { from, items: { items: part } };
}
