import { AsyncResource } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { Signals } from '../../ports.js';

type Listener = (message: unknown) => void;

/**
 * Signals within this process. A message is copied through JSON, as it would be between nodes. Listeners run in the async context
 * in which they subscribed, so that what they start is no part of the publisher's transaction.
 */
export class LocalSignals extends Signals {
  private readonly logger = new Logger(LocalSignals.name);
  private readonly listeners = new Map<string, Set<Listener>>();

  publish(topic: string, message: unknown): void {
    if (!this.listeners.get(topic)?.size) return;
    const text = JSON.stringify(message ?? null);
    setImmediate(() => this.deliver(topic, JSON.parse(text)));
  }

  subscribe(topic: string, listener: Listener): () => void {
    const bound = AsyncResource.bind(listener);
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(bound));
    return () => {
      listeners.delete(bound);
      if (listeners.size === 0 && this.listeners.get(topic) === listeners) this.listeners.delete(topic);
    };
  }

  async flush(): Promise<boolean> {
    return true;
  }

  /** Calls every listener of the topic on this node. */
  deliver(topic: string, message: unknown): void {
    for (const listener of this.listeners.get(topic) ?? []) {
      try {
        listener(message);
      } catch (error) {
        this.logger.error('signal listener failed', { topic, err: error });
      }
    }
  }
}
