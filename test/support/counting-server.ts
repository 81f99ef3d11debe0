import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that is answered so late is in fact never answered. */
export const NEVER_MS = 3_600_000;

/** A local HTTP server that counts its calls by path, and answers each after `delayMs`, which may depend on how often it was called. */
export class CountingServer {
  readonly calls = new Map<string, number>();
  /** Calls by their Idempotency-Key, which the handler `http` sets to the task. */
  readonly callsOfTask = new Map<string, number>();
  /** The most calls that were ever open at the same time. */
  mostAtOnce = 0;
  private open = 0;
  private held: (() => void)[] | undefined;
  private constructor(
    private readonly server: Server,
    /** How long an answer takes from now on; may depend on how often the path was called. */
    public delayMs: number | ((call: number) => number),
  ) {}

  static async start(delayMs: number | ((call: number) => number) = 0): Promise<CountingServer> {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      const call = (counting.calls.get(path) ?? 0) + 1;
      counting.calls.set(path, call);
      const task = request.headers['idempotency-key'];
      if (typeof task === 'string') counting.callsOfTask.set(task, (counting.callsOfTask.get(task) ?? 0) + 1);
      counting.mostAtOnce = Math.max(counting.mostAtOnce, ++counting.open);
      response.once('close', () => counting.open--);
      request.resume();
      const inMs = typeof counting.delayMs === 'number' ? counting.delayMs : counting.delayMs(call);
      const answer = () => void setTimeout(() => response.end('{"ok":true}'), inMs).unref();
      if (counting.held) counting.held.push(answer);
      else answer();
    });
    const counting = new CountingServer(server, delayMs);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return counting;
  }

  /** From now on nothing is answered until `release`. */
  hold(): void {
    this.held ??= [];
  }

  release(): void {
    for (const answer of this.held ?? []) answer();
    this.held = undefined;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** How often each path that begins so was called. */
  callsBelow(prefix: string): number[] {
    return [...this.calls].filter(([path]) => path.startsWith(prefix)).map(([, count]) => count);
  }

  get total(): number {
    return [...this.calls.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Paths called more than once. */
  get repeated(): string[] {
    return [...this.calls].filter(([, count]) => count > 1).map(([path]) => path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
