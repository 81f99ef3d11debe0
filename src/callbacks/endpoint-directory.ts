import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { hostAndPort, hostIsVerified } from '../decisions/callback-url.js';
import { Ticker } from '../platform/ticker.js';
import { Signals, SqlDialect } from '../ports.js';
import { EndpointStore } from './endpoint.store.js';

const RELOAD_MS = 2_000;
const CHANGED = 'callbacks.changed';

export interface Receiver {
  endpointId: string;
  url: string;
  target: string;
}

/** Whom a send waits in line with. */
export const targetOf = (appId: number, url: string, endpointId: string | null): string =>
  `${appId}|${hostAndPort(new URL(url))}${endpointId === null ? '' : `|${endpointId}`}`;

export const appOf = (target: string): number => Number(target.split('|', 1)[0]);

export const endpointOf = (target: string): string | null => target.split('|')[2] ?? null;

/** A line of its own for what a person asks for: it waits behind nothing and for no circuit. */
export const manualTargetOf = (appId: number, url: string, endpointId: string | null): string =>
  `${targetOf(appId, url, endpointId)}${MANUAL}`;
const MANUAL = '|!';
/** The target whose circuit a line of sends belongs to. */
export const circuitOf = (target: string): string => (target.endsWith(MANUAL) ? target.slice(0, -MANUAL.length) : target);

/**
 * The enabled endpoints and the callback hosts of every app, as each node keeps them: read again every two seconds and at once when
 * some node changes them, so that the end of a task nobody listens to costs no statement. May be stale by that time: an endpoint
 * hears of what ends after its node knows it (the node that answered the change does when it answers, the others within 5 s), and
 * one that was deleted meanwhile is left out when its delivery is claimed.
 */
@Injectable()
export class EndpointDirectory implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(EndpointDirectory.name);
  private byApp = new Map<number, { eventTypes: ReadonlySet<string>; receiver: Receiver }[]>();
  private hosts = new Map<number, string[]>();
  private reads = 0;
  private applied = 0;
  private readonly loop = new Ticker(() => this.reload(), {
    everyMs: RELOAD_MS,
    onError: (error) => this.log.warn('endpoints not read, keeping the last ones', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: EndpointStore,
    private readonly signals: Signals,
  ) {
    signals.subscribe(CHANGED, () => this.loop.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.reload();
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  receivers(appId: number, eventType: string): Receiver[] {
    const endpoints = this.byApp.get(appId);
    if (!endpoints) return [];
    return endpoints.filter(({ eventTypes }) => eventTypes.has(eventType)).map(({ receiver }) => receiver);
  }

  isVerifiedHost(appId: number, hostname: string): boolean {
    return hostIsVerified(hostname, this.hosts.get(appId) ?? []);
  }

  /** After a commit that changed an endpoint or an app's hosts: resolves when this node knows it. */
  async changed(): Promise<void> {
    await this.reload();
    this.signals.publish(CHANGED, {});
  }

  /** Called on every node when some node changed an endpoint or an app's hosts. */
  onChanged(listener: () => void): () => void {
    return this.signals.subscribe(CHANGED, listener);
  }

  private async reload(): Promise<void> {
    const read = ++this.reads;
    const [endpoints, apps] = await Promise.all([this.store.enabled(this.dialect.root), this.store.apps(this.dialect.root)]);
    const byApp: typeof this.byApp = new Map();
    for (const { id, appId, url, eventTypes } of endpoints) {
      const entry = { eventTypes: new Set(eventTypes), receiver: { endpointId: id, url, target: targetOf(appId, url, id) } };
      byApp.set(appId, [...(byApp.get(appId) ?? []), entry]);
    }
    // A read that began before another one must not undo it.
    if (read < this.applied) return;
    this.applied = read;
    this.byApp = byApp;
    this.hosts = new Map(apps.map(({ appId, hosts }) => [appId, hosts]));
  }
}
