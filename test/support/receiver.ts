import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  id: string;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it was sent
  event: any;
}

/** What a node needs in its environment to reach a receiver on this machine. */
export const LOOPBACK_CALLBACKS = {
  CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
  CALLBACK_ALLOW_HTTP: 'true',
  CALLBACK_ALLOW_PORTS: '1-65535',
};

/** A receiver of callbacks on loopback; keeps what it was sent, answers challenges, and otherwise as it is told. */
export class Receiver {
  readonly received: Received[] = [];
  /** By path; 200 for others. */
  behave: (received: Received, response: ServerResponse) => void = (_, response) => response.writeHead(200).end();

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { headers } = request;
        const told = { path: request.url ?? '', headers, id: String(headers['webhook-id']), body, event: JSON.parse(body) };
        receiver.received.push(told);
        if (told.event.type !== 'endpoint.verification') receiver.behave(told, response);
        else response.writeHead(200).end(JSON.stringify({ challenge: told.event.data.challenge }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Of tasks, by the id of the task. */
  ofTask(taskId: string): Received[] {
    return this.received.filter(({ event }) => event.data.taskId === taskId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
