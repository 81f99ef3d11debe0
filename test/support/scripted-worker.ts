import type {
  AttemptReport,
  AttemptResult,
  HeartbeatAnswer,
  HeartbeatRequest,
  OrderAnswer,
  RegisterRequest,
  ResultsAnswer,
  RunAnswer,
  RunRequest,
  TaskOrder,
} from '@evenkeel/sdk/contract';
import { newId } from '../../src/platform/ids.js';
import type { Installation } from './installation.js';
import { type SignedAnswer, signedRequest } from './signed-request.js';
import { answer, WorkerSocket } from './worker-socket.js';

const BEAT_MS = 250;

/** What it registers with. */
type Centre = Pick<Installation, 'groups' | 'workerKey'> & { nodes: readonly { url: string }[] };

export interface Script extends Partial<Pick<RegisterRequest, 'handlers' | 'slots' | 'zone' | 'tags' | 'weight' | 'groups'>> {
  id: string;
  /** Ends each attempt as soon as it is accepted. */
  quick?: boolean;
  /** Between two beats; a quarter of a second unless told. */
  beatMs?: number;
  /** What every beat says beside what is true. */
  beats?: Partial<HeartbeatRequest>;
  key?: { accessKey: string; secret: string };
  /** Which node it talks to. */
  node?: number;
  /** What it answers to an order instead of taking it. */
  refuses?: (order: TaskOrder, request: RunRequest) => Omit<OrderAnswer, 'taskId' | 'lease'> | undefined;
}

/** A worker whose every word a test decides, on real sockets. It accepts what it is sent and names it until the test ends it. */
export class ScriptedWorker {
  readonly orders: TaskOrder[] = [];
  readonly running = new Map<string, AttemptReport>();
  /** At one moment of its life. */
  mostRunning = 0;
  lastBeat: HeartbeatAnswer | undefined;
  beatsTaken = 0;
  beatsRefused = 0;
  /** Asked to stop, by `POST /cancel` or a beat. */
  readonly stopAsked: string[] = [];
  beats: Partial<HeartbeatRequest>;
  incarnation = newId('att').slice(4);
  private seq = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly installation: Centre,
    readonly script: Script,
    private readonly socket: WorkerSocket,
  ) {
    this.beats = script.beats ?? {};
  }

  static async register(installation: Centre, script: Script): Promise<ScriptedWorker> {
    const worker = new ScriptedWorker(installation, script, await WorkerSocket.listen());
    await worker.begin();
    return worker;
  }

  private async begin(): Promise<void> {
    this.socket.behave = ({ target, body }, response) => {
      if (target.endsWith('/run')) answer(response, 200, this.take(JSON.parse(body)));
      else if (target.endsWith('/cancel')) {
        const { tasks } = JSON.parse(body) as { tasks: { taskId: string; lease: number; reason: string }[] };
        this.stopAsked.push(...tasks.map(({ taskId, reason }) => `${taskId} ${reason}`));
        answer(response, 200, { results: tasks.map(({ taskId, lease }) => ({ taskId, lease, outcome: 'stopping' })) });
      } else answer(response, 200, { ...this.identity, state: 'ready', attempts: [...this.running.values()] });
    };
    const { groups, handlers, slots, zone, tags, weight } = this.script;
    await this.mustTell('register', {
      ...this.identity,
      groups: groups ?? this.installation.groups,
      urls: [this.socket.url],
      handlers: handlers ?? [{ name: 'noop' }],
      slots: slots ?? 10,
      zone,
      tags,
      weight,
      sdk: 'test',
      unreported: [],
    } satisfies RegisterRequest);
    this.timer = setInterval(() => void this.beat().catch(() => this.beatsRefused++), this.script.beatMs ?? BEAT_MS);
  }

  /** The process dies and another life of the same worker begins at once. */
  async restart(): Promise<void> {
    clearInterval(this.timer);
    this.running.clear();
    this.incarnation = newId('att').slice(4);
    this.seq = 0;
    await this.begin();
  }

  get identity(): { workerId: string; incarnation: string } {
    return { workerId: this.script.id, incarnation: this.incarnation };
  }

  ordersOf(taskId: string): TaskOrder[] {
    return this.orders.filter((order) => order.taskId === taskId);
  }

  beatBody(): HeartbeatRequest {
    return {
      ...this.identity,
      ...this.figures(),
      sentAt: Date.now(),
      state: 'ready',
      avgCostMs: 0,
      cpuIdlePercent: 100,
      attempts: [...this.running.values()],
      ...this.beats,
    };
  }

  async beat(): Promise<void> {
    this.lastBeat = (await this.mustTell('heartbeat', this.beatBody())) as HeartbeatAnswer;
    this.beatsTaken += 1;
    this.stopAsked.push(...this.lastBeat.cancel.map(({ taskId, reason }) => `${taskId} ${reason}`));
  }

  /** Adds to what the beats say of the attempt. */
  say(taskId: string, more: Partial<AttemptReport>): void {
    this.running.set(taskId, { ...(this.running.get(taskId) as AttemptReport), ...more });
  }

  async end(taskId: string, more: Partial<AttemptResult> = {}): Promise<ResultsAnswer> {
    const { lease } = this.running.get(taskId) as AttemptReport;
    this.running.delete(taskId);
    const at = { startedAt: Date.now(), endedAt: Date.now() };
    const results = [{ taskId, lease, outcome: 'succeeded' as const, ...at, ...more }];
    return (await this.mustTell('results', { ...this.identity, results, figures: this.figures() })) as ResultsAnswer;
  }

  tell(route: string, body: unknown, key = this.script.key ?? this.installation.workerKey): Promise<SignedAnswer> {
    const { url } = this.installation.nodes[this.script.node ?? 0] as { url: string };
    return signedRequest(url, key, 'POST', `/worker/v1/${route}`, body);
  }

  /** Says nothing more; as a process that is gone. */
  async vanish(): Promise<void> {
    clearInterval(this.timer);
    await this.socket.close();
  }

  async leave(): Promise<void> {
    clearInterval(this.timer);
    await this.tell('deregister', this.identity);
    await this.socket.close();
  }

  private take(request: RunRequest): RunAnswer {
    const refusals = new Map<string, Omit<OrderAnswer, 'taskId' | 'lease'>>();
    for (const order of request.tasks) {
      this.orders.push(order);
      const refusal = this.script.refuses?.(order, request);
      if (refusal) {
        refusals.set(order.taskId, refusal);
        continue;
      }
      this.running.set(order.taskId, { taskId: order.taskId, lease: order.lease, phase: 'running' });
      this.mostRunning = Math.max(this.mostRunning, this.running.size);
      if (this.script.quick) setImmediate(() => void this.end(order.taskId).catch(() => undefined));
    }
    return {
      results: request.tasks.map(({ taskId, lease }) => ({
        taskId,
        lease,
        ...(refusals.get(taskId) ?? { outcome: 'accepted' as const }),
      })),
      ...this.figures(),
    };
  }

  private figures() {
    const { slots = 10 } = this.script;
    const room = typeof slots === 'number' ? slots : Object.values(slots).reduce((sum, n) => sum + n, 0) * 3;
    const active = this.beats.active ?? this.running.size;
    return { seq: ++this.seq, active, queued: 0, freeSlots: Math.max(0, room - active) };
  }

  private async mustTell(route: string, body: unknown): Promise<unknown> {
    const { status, body: told } = await this.tell(route, body);
    if (status !== 200) throw new Error(`${route}: ${status} ${JSON.stringify(told)}`);
    return told;
  }
}
