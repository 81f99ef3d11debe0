import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hurry } from './disconnection.js';

/**
 * The connections a server that closes would wait for. Those over which nothing was ever sent (browsers and pools open some ahead of
 * need) Node's `close` takes for busy until their headers' time is over, a minute; on others callers wait for news. The first are let
 * go, the second answered. `leave` is called right before `close`.
 */
export function leavableConnections(server: Server): { leave: () => void } {
  const open = new Set<Socket>();
  let leaving = false;
  server.on('connection', (socket: Socket) => {
    if (leaving) socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    leave: () => {
      leaving = true;
      for (const socket of open) {
        if (socket.bytesRead === 0) socket.destroy();
        else hurry(socket);
      }
    },
  };
}
