import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections over which nothing was ever sent: browsers and pools open some ahead of need. Node's `close` takes one for busy until
 * its headers' time is over, a minute; so a server that closes lets them go itself. `leave` is called right before `close`.
 */
export function dropSilentConnections(server: Server): { leave: () => void } {
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
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
