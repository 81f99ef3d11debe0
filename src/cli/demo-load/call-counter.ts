import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PATH = /^\/calls\/(\d+)$/;

/** An HTTP server on loopback that counts the calls of each number and remembers the task that made them. */
export class CallCounter {
  arrived = 0;
  private readonly calls = new Map<number, { count: number; tasks: Set<string> }>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const number = PATH.exec(request.url ?? '')?.[1];
      request.resume();
      if (number === undefined) return response.writeHead(404).end();
      this.count(Number(number), String(request.headers['idempotency-key']));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"counted":true}');
    });
  }

  static async listen(): Promise<CallCounter> {
    const server = createServer({ keepAliveTimeout: 0 }); // The caller closes: a connection closed here under a call would fail it.
    const counter = new CallCounter(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return counter;
  }

  urlOf(number: number): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/calls/${number}`;
  }

  countOf(number: number): number {
    return this.calls.get(number)?.count ?? 0;
  }

  /** The call came from this task and from no other. */
  cameFrom(number: number, taskId: string): boolean {
    const tasks = this.calls.get(number)?.tasks;
    return tasks?.size === 1 && tasks.has(taskId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private count(number: number, taskId: string): void {
    this.arrived++;
    const call = this.calls.get(number) ?? { count: 0, tasks: new Set() };
    call.count++;
    call.tasks.add(taskId);
    this.calls.set(number, call);
  }
}
