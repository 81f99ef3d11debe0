import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Signals } from '../../ports.js';
import { LocalSignals } from '../embedded/local-signals.js';
import type { RedisConnections } from './redis-connections.js';

/**
 * Redis pub/sub, one subscription for all topics. This node's own messages are delivered without Redis and dropped when they
 * come back. While Redis is away messages to other nodes are lost; ioredis subscribes again by itself.
 */
export class RedisSignals extends Signals {
  private readonly logger = new Logger(RedisSignals.name);
  private readonly local = new LocalSignals();
  private readonly sender = randomUUID();
  private readonly underWay = new Set<Promise<void>>();
  private hasLost = false;

  constructor(private readonly redis: RedisConnections) {
    super();
    redis.subscriber.on('pmessage', (_pattern: string, channel: string, text: string) => this.receive(channel, text));
  }

  /** Resolves when messages of other nodes arrive. */
  async start(): Promise<void> {
    await this.redis.subscriber.psubscribe(`${this.channelPrefix}*`);
  }

  publish(topic: string, message: unknown): void {
    this.local.publish(topic, message);
    if (this.redis.commands.status !== 'ready') {
      this.hasLost = true;
      return;
    }
    const sent: Promise<void> = this.send(topic, message).then(() => void this.underWay.delete(sent));
    this.underWay.add(sent);
  }

  async flush(): Promise<boolean> {
    await Promise.all(this.underWay);
    const isWhole = !this.hasLost;
    this.hasLost = false;
    return isWhole;
  }

  subscribe(topic: string, listener: (message: unknown) => void): () => void {
    return this.local.subscribe(topic, listener);
  }

  private async send(topic: string, message: unknown): Promise<void> {
    const text = JSON.stringify({ sender: this.sender, message: message ?? null });
    try {
      await this.redis.commands.publish(`${this.channelPrefix}${topic}`, text);
    } catch (error) {
      this.hasLost = true;
      this.logger.debug('signal lost', { topic, err: error });
    }
  }

  private receive(channel: string, text: string): void {
    const topic = channel.slice(this.channelPrefix.length);
    try {
      const { sender, message } = JSON.parse(text) as { sender: string; message: unknown };
      if (sender !== this.sender) this.local.deliver(topic, message);
    } catch (error) {
      this.logger.warn('signal is not ours', { topic, err: error });
    }
  }

  private get channelPrefix(): string {
    return `${this.redis.prefix}signal:`;
  }
}
