import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunAnswer, RunRequest } from '@evenkeel/sdk/contract';

export interface Received {
  method: string;
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Behaviour = (request: Received, response: ServerResponse) => void;

/** A worker's HTTP server as a test scripts it, on a real socket. */
export class WorkerSocket {
  readonly received: Received[] = [];
  connections = 0;
  behave: Behaviour = (request, response) => answer(response, 200, acceptAll(JSON.parse(request.body)));

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async listen(port = 0): Promise<WorkerSocket> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const socket = new WorkerSocket(server, (server.address() as AddressInfo).port);
    server.on('connection', () => (socket.connections += 1));
    server.on('request', async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk);
      const { method = '', url: target = '', headers } = message;
      const request = { method, target, headers, body: Buffer.concat(chunks).toString() };
      socket.received.push(request);
      socket.behave(request, response);
    });
    return socket;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function acceptAll({ tasks }: RunRequest): RunAnswer {
  return {
    results: tasks.map(({ taskId, lease }) => ({ taskId, lease, outcome: 'accepted' })),
    seq: 1,
    active: tasks.length,
    queued: 0,
    freeSlots: 4,
  };
}
