import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a stopping node gives requests that are under way, half sent or read slowly. */
const ANSWERED_WITHIN_MS = 5_000;

/**
 * The connections of a server, and the answers each still owes. Node's `close` waits for whatever is not idle at that moment, also
 * for what becomes idle later, for requests that never arrive in full and for connections over which nothing was ever sent. Here
 * `leave` ends them all: idle ones at once, the others behind their last answer, which says so (`Connection: close`), and what is
 * still open after five seconds is cut off.
 */
export class Connections {
  /** In the order of their requests. */
  private readonly open = new Map<Socket, ServerResponse[]>();
  private leaving = false;

  constructor(
    private readonly server: Server,
    private readonly answeredWithinMs = ANSWERED_WITHIN_MS,
  ) {
    server.on('connection', (socket: Socket) => this.opened(socket));
    // Before the request is answered, which may be at once.
    server.prependListener('request', ({ socket }, response) => this.asked(socket, response));
  }

  leave(): void {
    if (this.leaving) return;
    this.leaving = true;
    for (const [socket, owed] of this.open) {
      if (socket.bytesRead === 0) socket.destroy();
      sayLast(owed);
    }
    const timer = setTimeout(() => {
      for (const socket of this.open.keys()) socket.destroy();
    }, this.answeredWithinMs);
    this.server.once('close', () => clearTimeout(timer));
    this.server.close();
  }

  private opened(socket: Socket): void {
    if (this.leaving) socket.destroy();
    this.open.set(socket, []);
    socket.once('close', () => this.open.delete(socket));
  }

  private asked(socket: Socket, response: ServerResponse): void {
    const owed = this.open.get(socket);
    if (!owed) return;
    owed.push(response);
    if (this.leaving) sayLast(owed);
    response.once('close', () => {
      owed.splice(owed.indexOf(response), 1);
      // Its head may have promised to keep the connection before anybody knew.
      if (this.leaving && owed.length === 0) socket.destroySoon();
    });
  }
}

/** Only the last answer may announce the end: Node closes behind the one that does. */
function sayLast(owed: readonly ServerResponse[]): void {
  for (const [i, response] of owed.entries()) if (!response.headersSent) response.shouldKeepAlive = i < owed.length - 1;
}
