import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { ChangedEvent } from '../../../src/admin/contract/stream.js';
import { withBase } from '../lib/base-path';
import { tellSessionEnd } from './client';

/**
 * Keeps what is on screen fresh: one stream of "these topics changed" per visible tab. A query's key begins with its topic, and a
 * change makes the queries of that topic ask again, at most once a second (the server coalesces). Nothing depends on it: a lost
 * stream is noticed after two missed heart beats and shown with the age of what is on screen, while the tab asks again on its own.
 * Paused means paused: no request is made until the person goes on. A hidden tab lets go of its stream after 30 s.
 */
export type LiveState = 'live' | 'paused' | 'connecting' | 'stale';
interface Snapshot {
  state: LiveState;
  /** When the server was last heard, in local epoch milliseconds. */
  heardAt: number;
}

const TOPICS = ['tasks', 'jobs', 'workers', 'groups', 'overview', 'bulk'];
const BEAT_MS = 15_000;
const HIDDEN_MS = 30_000;
const POLL_MS = 5_000;

class Live {
  private snapshot: Snapshot = { state: 'connecting', heardAt: Date.now() };
  private readonly listeners = new Set<() => void>();
  private source: EventSource | undefined;
  private client: QueryClient | undefined;
  private task: string | undefined;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private hiding: ReturnType<typeof setTimeout> | undefined;

  start(client: QueryClient): () => void {
    this.client = client;
    const visibility = () => this.visibilityChanged();
    document.addEventListener('visibilitychange', visibility);
    const watch = setInterval(() => this.watch(), POLL_MS);
    this.open();
    return () => {
      document.removeEventListener('visibilitychange', visibility);
      clearInterval(watch);
      this.close();
    };
  }

  /** The one task whose own changes are wanted too; undefined for none. */
  follow(taskId: string | undefined): void {
    if (this.task === taskId) return;
    this.task = taskId;
    if (this.source) this.open();
  }

  pause(): void {
    this.close();
    this.set({ state: 'paused' });
  }

  resume(): void {
    this.set({ state: 'connecting' });
    this.open();
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

  private open(): void {
    this.close();
    const topics = this.task ? [...TOPICS, `task:${this.task}`] : TOPICS;
    const source = new EventSource(withBase(`api/stream?topics=${encodeURIComponent(topics.join(','))}`));
    this.source = source;
    source.onopen = () => {
      this.failures = 0;
      this.heard();
    };
    source.addEventListener('changed', (event) => this.changed(JSON.parse((event as MessageEvent<string>).data)));
    source.addEventListener('beat', () => this.heard());
    source.addEventListener('reset', () => {
      this.heard();
      this.refreshAll();
    });
    source.addEventListener('session-ended', () => {
      this.close();
      tellSessionEnd();
    });
    source.onerror = () => this.failed(source);
  }

  private close(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = undefined;
  }

  /** The browser retries a broken stream by itself, one that was refused not. Jitter: not all tabs at the same moment. */
  private failed(source: EventSource): void {
    if (this.source !== source) return;
    this.failures += 1;
    if (this.failures > 1) this.set({ state: 'stale' });
    if (source.readyState !== EventSource.CLOSED) return;
    this.source = undefined;
    clearTimeout(this.retry);
    this.retry = setTimeout(
      () => this.open(),
      Math.min(30_000, 1_000 * 2 ** Math.min(this.failures, 5)) * (0.75 + Math.random() / 2),
    );
  }

  private heard(): void {
    this.set({ state: 'live', heardAt: Date.now() });
  }

  private changed({ topics }: ChangedEvent): void {
    this.heard();
    // Of everything the overview shows something.
    const wanted = new Set<string>([...topics, 'overview']);
    void this.client?.invalidateQueries({ predicate: ({ queryKey }) => wanted.has(String(queryKey[0])) });
  }

  private refreshAll(): void {
    const known = new Set([...TOPICS, ...(this.task ? [`task:${this.task}`] : [])]);
    void this.client?.invalidateQueries({ predicate: ({ queryKey }) => known.has(String(queryKey[0])) });
  }

  /** Between beats nothing is heard; a stream that stays silent for two of them is taken for dead. */
  private watch(): void {
    const { state, heardAt } = this.snapshot;
    if (state === 'paused' || document.hidden) return;
    const silent = Date.now() - heardAt;
    if (silent > 3 * BEAT_MS && this.source) {
      this.set({ state: 'stale' });
      this.open();
    }
    if (state === 'stale') this.refreshAll();
  }

  private visibilityChanged(): void {
    clearTimeout(this.hiding);
    if (this.snapshot.state === 'paused') return;
    if (document.hidden) this.hiding = setTimeout(() => this.close(), HIDDEN_MS);
    else if (!this.source) this.resume();
  }
}

export const live = new Live();
export const useLive = (): Snapshot => useSyncExternalStore(live.subscribe, live.read);
export const isLivePaused = (): boolean => live.read().state === 'paused';
