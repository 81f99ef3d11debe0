import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request for the worker: it passes; it is kept from the worker; or it is delivered and its answer swallowed,
 * the connection being cut instead.
 */
export type Passage = 'pass' | 'keep' | 'swallow';

/** An HTTP proxy in front of a worker. EK1 does not sign the host, so what passes is as the centre signed it. */
export class WorkerProxy {
  passage: Passage = 'pass';
  /** Requests for orders that met each passage. */
  readonly met: Record<Passage, number> = { pass: 0, keep: 0, swallow: 0 };
  private readonly kept = new Set<ServerResponse>();

  private constructor(
    private readonly server: Server,
    private readonly workerPort: number,
  ) {}

  static async before(workerPort: number): Promise<WorkerProxy> {
    const server = createServer((incoming, outgoing) => void proxy.handle(incoming, outgoing));
    const proxy = new WorkerProxy(server, workerPort);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    const passage = incoming.url === '/run' ? this.passage : 'pass';
    if (incoming.url === '/run') this.met[passage] += 1;
    if (passage === 'keep') {
      this.kept.add(outgoing);
      return;
    }
    const { method, url: path, headers } = incoming;
    const forwarded = httpRequest({ host: '127.0.0.1', port: this.workerPort, method, path, headers }, async (answer) => {
      const bytes: Buffer[] = [];
      for await (const chunk of answer) bytes.push(chunk as Buffer);
      if (passage === 'swallow') outgoing.destroy();
      else outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end(Buffer.concat(bytes));
    });
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(Buffer.concat(body));
  }
}
