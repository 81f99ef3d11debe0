import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on as `location /prefix/ { proxy_pass http://up/; }` of a gateway: the prefix goes, the rest of the target stays byte for byte. */
export class PrefixProxy {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(upstream: string, prefix: string, clientAddress: string): Promise<PrefixProxy> {
    const { hostname, port } = new URL(upstream);
    const server = createServer((incoming, outgoing) => {
      const headers: Record<string, string | string[] | undefined> = {
        ...incoming.headers,
        host: 'up',
        'x-forwarded-prefix': '/lies',
      };
      const stated = incoming.headers['x-forwarded-for'];
      headers['x-forwarded-for'] = stated ? `${String(stated)}, ${clientAddress}` : clientAddress;
      const path = (incoming.url ?? '').slice(prefix.length);
      const passed = request(
        { host: hostname, port, path, method: incoming.method, headers: headers as Record<string, string> },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.once('error', () => outgoing.writeHead(502).end());
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PrefixProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
