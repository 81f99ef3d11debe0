import type { TerminalState } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { eventTypeOf, taskEventBody } from '../decisions/callback-body.js';
import { Config } from '../platform/config.js';
import { newId } from '../platform/ids.js';
import type { Sql } from '../ports.js';
import { EndpointDirectory, targetOf } from './endpoint-directory.js';
import { type NewEvent, OutboxStore } from './outbox.store.js';

/** A task at its end, in the words of this room. Instants are epoch milliseconds. */
export interface EndedTask {
  id: string;
  appId: number | null;
  /** Version of the task at its end. */
  seq: number;
  state: TerminalState;
  reason: string | null;
  clientRequestId: string | null;
  jobId: string | null;
  callbackUrl: string | null;
  scheduledAt: number;
  createdAt: number;
  endedAt: number;
  /** Attempts begun. */
  attempts: number;
  /** JSON text. */
  result: string | null;
  error: { name: string; message: string } | null;
}

/**
 * Writes what subscribers are to be told, in the transaction of what happened: a callback exists exactly when its end does. Nothing
 * is sent from here; the deliverer finds the rows, whatever becomes of this process. Most tasks have nobody to tell and cost nothing.
 */
@Injectable()
export class CallbackOutbox {
  private readonly listeners: (() => void)[] = [];
  /** Path a proxy strips before /openapi. */
  private readonly publicPrefix: string;

  constructor(
    private readonly directory: EndpointDirectory,
    private readonly store: OutboxStore,
    config: Config,
  ) {
    this.publicPrefix = config.openapiPublicPrefix;
  }

  /** Somebody is told of such an end. */
  concerns(task: Pick<EndedTask, 'appId' | 'callbackUrl' | 'state'>): boolean {
    if (task.appId === null) return false;
    return task.callbackUrl !== null || this.directory.receivers(task.appId, eventTypeOf(task.state)).length > 0;
  }

  /** One event per end. Call it once per transaction; a retry of the transaction writes it anew. */
  async record(tx: Sql, ended: readonly EndedTask[], now: number): Promise<void> {
    const told = ended.filter((task) => this.concerns(task));
    if (told.length === 0) return;
    const metadata = await this.store.metadataOf(
      tx,
      told.map(({ id }) => id),
    );
    await this.store.insert(
      tx,
      told.map((task) => this.eventOf(task, metadata.get(task.id) ?? null)),
      now,
    );
    for (const listener of this.listeners) listener();
  }

  /** Of these ends, tells the endpoint of those it has no delivery of; returns how many. Its row is locked, so each is told once. */
  async tellMissed(
    tx: Sql,
    { id: endpointId, appId, url }: { id: string; appId: number; url: string },
    ended: readonly EndedTask[],
    now: number,
  ): Promise<number> {
    if (ended.length === 0) return 0;
    const ids = ended.map(({ id }) => id);
    await this.store.lockEndpoint(tx, endpointId);
    const told = await this.store.toldOf(tx, endpointId, ids);
    const events = await this.store.eventsOf(tx, ids);
    const metadata = await this.store.metadataOf(tx, ids);
    const receivers = [{ endpointId, url, target: targetOf(appId, url, endpointId) }];
    const missed = ended.filter(({ id }) => !told.has(id));
    const known = missed.flatMap((task) => {
      const event = events.find(({ taskId, occurredAt }) => taskId === task.id && occurredAt === task.endedAt);
      return event ? [{ ...event, receivers }] : [];
    });
    const fresh = missed.filter(({ id }) => !known.some(({ taskId }) => taskId === id));
    const made = fresh.map((task) => ({ ...this.eventOf(task, metadata.get(task.id) ?? null), receivers }));
    await this.store.insert(tx, made, now, now);
    await this.store.deliver(tx, known, now, now);
    if (missed.length > 0) for (const listener of this.listeners) listener();
    return missed.length;
  }

  /** Told when something was written; the commit may still be under way. */
  onRecord(listener: () => void): void {
    this.listeners.push(listener);
  }

  private eventOf(task: EndedTask, metadata: string | null): NewEvent {
    const id = newId('evt');
    const appId = task.appId as number;
    const type = eventTypeOf(task.state);
    const receivers: NewEvent['receivers'] = [...this.directory.receivers(appId, type)];
    const url = task.callbackUrl;
    if (url !== null) receivers.push({ endpointId: null, url, target: targetOf(appId, url, null) });
    const body = taskEventBody(id, { ...task, metadata }, this.publicPrefix);
    return { id, appId, taskId: task.id, seq: task.seq, type, body, occurredAt: task.endedAt, receivers };
  }
}
