import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Leaving } from './leaving.js';

/** Requests that are held until something happens, by connection: one listener each, however many a client sends ahead on it. */
@Injectable()
export class HeldRequests {
  private readonly held = new Map<Socket, Set<AbortController>>();

  constructor(private readonly leaving: Leaving) {
    leaving.onBegin(() => {
      for (const company of this.held.values()) for (const controller of company) controller.abort();
    });
  }

  /**
   * Aborted when the client is gone, so that nobody waits for nobody, and when this node leaves: what is known by then is the answer.
   * At once if it is so already. By the connection's end and not the answer's: an answer that queues behind another is never told.
   */
  signalOf(reply: FastifyReply): AbortSignal {
    const controller = new AbortController();
    const { socket } = reply.request.raw;
    if (socket.destroyed || this.leaving.hasBegun) controller.abort();
    else {
      const here = this.held.get(socket) ?? this.companyOf(socket);
      here.add(controller);
      reply.raw.once('finish', () => here.delete(controller));
    }
    return controller.signal;
  }

  private companyOf(socket: Socket): Set<AbortController> {
    const company = new Set<AbortController>();
    this.held.set(socket, company);
    socket.once('close', () => {
      this.held.delete(socket);
      for (const controller of company) controller.abort();
    });
    return company;
  }
}
