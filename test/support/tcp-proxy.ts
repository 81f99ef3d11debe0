import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a service, with which a test cuts, freezes or delays the connections to it. */
export class TcpProxy {
  /** How long every byte is on its way, in either direction. What is on its way when one side closes is lost. */
  delayMs = 0;
  private server: Server | undefined;
  private frozen = false;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  private constructor(private readonly target: { hostname: string; port: number | string }) {}

  static async before(target: { hostname: string; port: number | string }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.restore();
    return proxy;
  }

  /** The URL with this proxy in the place of the service. */
  through(url: URL): URL {
    const proxied = new URL(url);
    proxied.hostname = '127.0.0.1';
    proxied.port = String(this.port);
    return proxied;
  }

  /** Connections break and new ones are refused, as when the service is killed. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.resetAndDestroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  /** Connections stay open and nothing passes any more, as when the service is stopped or the network swallows packets. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Ends a cut or a freeze, on the same port. */
  async restore(): Promise<void> {
    this.frozen = false;
    for (const socket of this.sockets) socket.resume();
    if (this.server) return;
    this.server = createServer((client) => this.join(client));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(client: Socket): void {
    const service = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => {
        if (this.delayMs === 0) to.write(bytes);
        else setTimeout(() => to.destroyed || to.write(bytes), this.delayMs);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.frozen) from.pause();
    }
  }
}
