import type { HeartbeatRequest, RegisterRequest, RunAnswer, RunRequest } from '@evenkeel/sdk/contract';
import type { Installation } from './installation.js';
import { signedRequest } from './signed-request.js';
import { answer, WorkerSocket } from './worker-socket.js';

const BEAT_MS = 300;

/** A worker that says in every beat that it has room and answers every order that it has none, as one that other centres fill would. */
export class FullWorker {
  private readonly refusals = new Map<string, number>();
  private seq = 0;
  private beats: NodeJS.Timeout | undefined;

  private constructor(
    private readonly installation: Installation,
    private readonly identity: { workerId: string; incarnation: string },
    private readonly socket: WorkerSocket,
  ) {}

  static async register(
    installation: Installation,
    { id, group, handler }: { id: string; group: string; handler: string },
  ): Promise<FullWorker> {
    const socket = await WorkerSocket.listen();
    const identity = { workerId: id, incarnation: '01JZZZZZZZZZZZZZZZZZZZZZZZ' };
    const worker = new FullWorker(installation, identity, socket);
    socket.behave = ({ body }, response) => answer(response, 200, worker.refuse(JSON.parse(body)));
    const { url } = socket;
    const offer = { groups: [group], urls: [url], handlers: [{ name: handler }], slots: 20, sdk: 'test', unreported: [] };
    await worker.tell('register', { ...identity, ...offer } satisfies RegisterRequest);
    worker.beats = setInterval(() => void worker.beat().catch(() => undefined), BEAT_MS);
    return worker;
  }

  refusalsOf(taskId: string): number {
    return this.refusals.get(taskId) ?? 0;
  }

  async leave(): Promise<void> {
    clearInterval(this.beats);
    await this.tell('deregister', this.identity);
    await this.socket.close();
  }

  private refuse({ tasks }: RunRequest): RunAnswer {
    for (const { taskId } of tasks) this.refusals.set(taskId, this.refusalsOf(taskId) + 1);
    const results = tasks.map(({ taskId, lease }) => ({ taskId, lease, outcome: 'busy' as const }));
    return { results, seq: ++this.seq, active: 20, queued: 0, freeSlots: 0 };
  }

  private beat(): Promise<void> {
    const figures = { active: 0, queued: 0, freeSlots: 20, avgCostMs: 0, cpuIdlePercent: 100 };
    const beat = { ...this.identity, seq: ++this.seq, sentAt: Date.now(), state: 'ready' as const, ...figures, attempts: [] };
    return this.tell('heartbeat', beat satisfies HeartbeatRequest);
  }

  private async tell(route: string, body: unknown): Promise<void> {
    const { url } = this.installation.nodes[0] as { url: string };
    const { status, body: told } = await signedRequest(url, this.installation.workerKey, 'POST', `/worker/v1/${route}`, body);
    if (status !== 200) throw new Error(`${route}: ${status} ${JSON.stringify(told)}`);
  }
}
