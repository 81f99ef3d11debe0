import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local HTTP server that counts its calls by path, and answers each after `delayMs`. */
export class CountingServer {
  readonly calls = new Map<string, number>();
  private constructor(
    private readonly server: Server,
    /** How long an answer takes from now on. */
    public delayMs: number,
  ) {}

  static async start(delayMs = 0): Promise<CountingServer> {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      counting.calls.set(path, (counting.calls.get(path) ?? 0) + 1);
      request.resume();
      setTimeout(() => response.end('{"ok":true}'), counting.delayMs);
    });
    const counting = new CountingServer(server, delayMs);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return counting;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
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
