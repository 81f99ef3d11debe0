import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Who waits, by connection: one listener each, however many requests a client sends ahead on it. */
const waiting = new WeakMap<Socket, Set<AbortController>>();
/** Connections on which nobody is kept waiting any more. */
const hurried = new WeakSet<Socket>();

/**
 * Aborted when the client is gone, at once if it is already, so that nobody waits for nobody, and when this server leaves: whoever
 * waits is answered with what there is. By the connection's end and not the answer's: an answer that queues behind another on its
 * connection is never told.
 */
export function disconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { socket } = reply.request.raw;
  if (socket.destroyed || hurried.has(socket)) controller.abort();
  else {
    const here = waiting.get(socket) ?? companyOf(socket);
    here.add(controller);
    reply.raw.once('finish', () => here.delete(controller));
  }
  return controller.signal;
}

/** Whoever waits on the connection, now or later, waits no longer. */
export function hurry(socket: Socket): void {
  hurried.add(socket);
  for (const controller of waiting.get(socket) ?? []) controller.abort();
}

function companyOf(socket: Socket): Set<AbortController> {
  const company = new Set<AbortController>();
  waiting.set(socket, company);
  socket.once('close', () => {
    for (const controller of company) controller.abort();
  });
  return company;
}
