import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { ChangedEvent } from '../../../src/admin/contract/stream.js';
import { withBase } from '../lib/base-path';
import { preferences } from '../lib/preferences';
import { queryText, tellSessionDoubt, tellSessionEnd } from './client';
import { liveFloorMs } from './site';
import { StaleQueries } from './stale-queries';
import { type TabMessage, Tabs } from './tabs';

/**
 * Keeps what is on screen fresh: one stream of "these topics changed" per browser, held by one of its tabs (`tabs.ts`) and told on to
 * the others. A query's key begins with its topic, and a change makes the queries of that topic ask again, at most once a second (the
 * server coalesces). Nothing depends on it: a lost stream is noticed after two missed heart beats and shown with the age of what is on
 * screen, while each tab asks again on its own. What was asked before the stream heard of it is asked again as the stream opens. Paused means paused: no request is made until the person goes on. A hidden tab neither
 * holds the stream nor hears of it after 30 s.
 */
export type LiveState = 'live' | 'paused' | 'connecting' | 'stale';
interface Snapshot {
  state: LiveState;
  /** When the server was last heard, in local epoch milliseconds. */
  heardAt: number;
}

const TOPICS = ['tasks', 'jobs', 'workers', 'groups', 'overview', 'bulk', 'callbacks'];
const BEAT_MS = 15_000;
/** Two beats missed, and a little for the way. */
const SILENT_MS = 2 * BEAT_MS + 2_000;
const HIDDEN_MS = 30_000;
const POLL_MS = 5_000;
const MOST_TASKS = 20;

class Live {
  private snapshot: Snapshot = { state: 'connecting', heardAt: Date.now() };
  private readonly listeners = new Set<() => void>();
  private readonly tabs = new Tabs({ lead: (leads) => this.led(leads), message: (message) => this.heardTab(message) });
  /** Tasks the other tabs follow, by tab. */
  private readonly wants = new Map<string, string>();
  private leader: string | undefined;
  private source: EventSource | undefined;
  private topics = '';
  private queries: StaleQueries | undefined;
  private task: string | undefined;
  private failures = 0;
  private listening = false;
  /** The last event heard: a stream that takes the place of another one goes on after it. */
  private heardId = '';
  private retry: ReturnType<typeof setTimeout> | undefined;
  private hiding: ReturnType<typeof setTimeout> | undefined;

  start(client: QueryClient): () => void {
    const chosen = () => preferences().liveSeconds;
    // The server itself tells no more often than every second, or than its floor; what asks without being told keeps to both too.
    this.queries = new StaleQueries(client, () => {
      const paceMs = Math.max(chosen() * 1_000, liveFloorMs(client));
      return paceMs > 1_000 ? paceMs : 0;
    });
    if (chosen() === 0) this.set({ state: 'paused' });
    const visibility = () => this.visibilityChanged();
    const leave = () => this.stop();
    document.addEventListener('visibilitychange', visibility);
    window.addEventListener('pagehide', leave);
    const watch = setInterval(() => this.watch(), POLL_MS);
    if (this.snapshot.state !== 'paused') this.listen();
    return () => {
      document.removeEventListener('visibilitychange', visibility);
      window.removeEventListener('pagehide', leave);
      clearInterval(watch);
      this.stop();
    };
  }

  /** The one task whose own changes are wanted too; undefined for none. */
  follow(taskId: string | undefined): void {
    if (this.task === taskId) return;
    this.task = taskId;
    if (this.source) this.open();
    else this.sayWant();
  }

  pause(): void {
    this.stop();
    this.set({ state: 'paused' });
  }

  resume(): void {
    this.set({ state: 'connecting' });
    this.listen();
    this.refreshAll();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  read = (): Snapshot => this.snapshot;

  private set(change: Partial<Snapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of this.listeners) listener();
  }

  private listen(): void {
    this.listening = true;
    this.tabs.start();
    this.sayWant();
  }

  private stop(): void {
    this.listening = false;
    this.queries?.stop();
    this.tabs.stop();
    this.close();
  }

  private led(leads: boolean): void {
    if (!leads) {
      this.close();
      return;
    }
    // What changed while nobody led is not known.
    const took = this.leader !== undefined;
    this.leader = this.tabs.id;
    this.open();
    if (took) this.refreshAll();
  }

  private heardTab(message: TabMessage): void {
    if (message.kind === 'want') {
      if (message.task === null) this.wants.delete(message.from);
      else this.wants.set(message.from, message.task);
      if (!this.source) return;
      this.open();
      if (this.snapshot.state === 'live') this.tabs.say({ kind: 'told', from: this.tabs.id, event: 'here', data: '' });
    } else if (message.kind === 'lead' && message.from !== this.leader) {
      this.leader = message.from;
      if (this.listening) this.sayWant();
    } else if (message.kind === 'leave') this.wants.delete(message.from);
    else if (message.kind === 'told' && this.listening) this.told(message.event, message.data);
  }

  private sayWant(): void {
    this.tabs.say({ kind: 'want', from: this.tabs.id, task: this.listening ? (this.task ?? null) : null });
  }

  /** Opens the stream, unless it is open with just these topics. A task that is refused costs the others nothing: they go on without any. */
  private open(): void {
    const tasks = this.failures > 1 ? [] : [...new Set([...(this.task ? [this.task] : []), ...this.wants.values()])];
    const topics = [...TOPICS, ...tasks.slice(0, MOST_TASKS).map((task) => `task:${task}`)].join(',');
    if (this.source && this.source.readyState !== EventSource.CLOSED && this.topics === topics) return;
    this.close();
    this.topics = topics;
    const source = new EventSource(withBase(`api/stream${queryText({ topics, after: this.heardId || undefined })}`));
    this.source = source;
    source.onopen = () => {
      this.failures = 0;
      this.tell('here', '');
    };
    for (const name of ['changed', 'beat', 'reset', 'rights-changed', 'session-ended'])
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        this.heardId = lastEventId;
        this.tell(name, data);
      });
    source.onerror = () => this.failed(source);
  }

  private close(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = undefined;
  }

  /** The browser retries a broken stream by itself, one that was refused not. Jitter: not all browsers at the same moment. */
  private failed(source: EventSource): void {
    if (this.source !== source) return;
    this.failures += 1;
    if (this.failures > 1) this.tell('lost', '');
    if (source.readyState !== EventSource.CLOSED) return;
    this.source = undefined;
    clearTimeout(this.retry);
    this.retry = setTimeout(
      () => this.tabs.leading && this.open(),
      Math.min(30_000, 1_000 * 2 ** Math.min(this.failures, 5)) * (0.75 + Math.random() / 2),
    );
  }

  /** Here and in every other tab. */
  private tell(event: string, data: string): void {
    this.tabs.say({ kind: 'told', from: this.tabs.id, event, data });
    this.told(event, data);
  }

  private told(event: string, data: string): void {
    if (event === 'lost') {
      this.set({ state: 'stale' });
      return;
    }
    if (event === 'session-ended') {
      this.stop();
      tellSessionEnd();
      return;
    }
    if (event === 'rights-changed') tellSessionDoubt();
    const { state } = this.snapshot;
    this.set({ state: 'live', heardAt: Date.now() });
    if (event === 'changed') this.changed(JSON.parse(data));
    else if (event === 'reset' || state === 'stale') this.refreshAll();
    else if (event === 'here') this.queries?.told([...(state === 'connecting' ? TOPICS : []), ...this.ownTopic()], false);
  }

  private changed({ topics }: ChangedEvent): void {
    // Of everything the overview shows something.
    this.queries?.told([...topics, 'overview']);
  }

  private refreshAll(): void {
    this.queries?.told([...TOPICS, ...this.ownTopic()]);
  }

  private ownTopic(): string[] {
    return this.task ? [`task:${this.task}`] : [];
  }

  /** Between beats nothing is heard; a stream that stays silent for two of them is taken for dead. */
  private watch(): void {
    const { state, heardAt } = this.snapshot;
    if (!this.listening || document.hidden) return;
    if (Date.now() - heardAt > SILENT_MS) {
      this.set({ state: 'stale' });
      if (this.source) {
        this.close();
        this.open();
      }
    }
    if (state === 'stale') this.refreshAll();
  }

  private visibilityChanged(): void {
    clearTimeout(this.hiding);
    if (this.snapshot.state === 'paused') return;
    if (document.hidden) this.hiding = setTimeout(() => this.stop(), HIDDEN_MS);
    else if (!this.listening) this.resume();
  }
}

export const live = new Live();
export const useLive = (): Snapshot => useSyncExternalStore(live.subscribe, live.read);
export const isLivePaused = (): boolean => live.read().state === 'paused';
