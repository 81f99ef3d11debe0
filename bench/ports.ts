import { createServer } from 'node:net';

/** Free loopback ports, from a range if one is given, each handed out once. */
export class Ports {
  private next: number;

  constructor(private readonly range?: { from: number; to: number }) {
    this.next = range?.from ?? 0;
  }

  async take(): Promise<number> {
    if (!this.range) return (await probe(0)) as number;
    while (this.next <= this.range.to) {
      const port = await probe(this.next++);
      if (port !== undefined) return port;
    }
    throw new Error(`no free port from ${this.range.from} to ${this.range.to}`);
  }
}

function probe(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
