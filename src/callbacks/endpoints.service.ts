import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { plainEventBody } from '../decisions/callback-body.js';
import type { TargetHealth } from '../decisions/callback-circuit.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import type { Witness } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { PING, VERIFICATION } from './attempt-delivery.js';
import type { Endpoint } from './callbacks.js';
import { CHALLENGE_PAUSE_MS, ChallengeTurns } from './challenge-turns.js';
import { Deliverer } from './deliverer.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointDirectory, manualTargetOf, targetOf } from './endpoint-directory.js';
import { OutboxStore } from './outbox.store.js';
import { WebhookSecrets } from './webhook-secrets.js';

export const MOST_ENDPOINTS = 20;
const COOL_DOWN_MS = 5 * 60_000;

export type EnableOutcome =
  | { outcome: 'enabled'; endpoint: Endpoint }
  | { outcome: 'not_found' }
  | { outcome: 'too_early'; waitMs: number };

/**
 * The endpoints of apps. One is PENDING until it answers its challenge, so nobody is sent anything who did not ask for it. A change
 * is answered when the directory of this node knows it; other nodes know it within 5 s.
 */
@Injectable()
export class EndpointsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: EndpointStore,
    private readonly outbox: OutboxStore,
    private readonly directory: EndpointDirectory,
    private readonly secrets: WebhookSecrets,
    private readonly deliverer: Deliverer,
    private readonly turns: ChallengeTurns,
    private readonly clock: Clock,
  ) {}

  /** Null if there is no such endpoint of the app. Throws AppError `state_conflict` unless it is enabled. */
  async listening(appId: number, id: string): Promise<Endpoint | null> {
    const endpoint = await this.store.find(this.dialect.root, appId, id);
    if (endpoint) mustListen(endpoint);
    return endpoint;
  }

  /** How those endpoints are that have failed since they last worked, by their ids. */
  async healthOf(endpoints: readonly Pick<Endpoint, 'id' | 'appId' | 'url'>[]): Promise<Map<string, TargetHealth>> {
    const targets = new Map(endpoints.map(({ id, appId, url }) => [targetOf(appId, url, id), id]));
    const found = await this.store.healthOf(this.dialect.root, [...targets.keys()]);
    return new Map([...found].map(([target, health]) => [targets.get(target) as string, health]));
  }

  /**
   * The only time the secret is shown. Null when the app has as many endpoints as it may. Throws AppError `rate_limited` if too many of
   * its challenges to that host wait or were just sent.
   */
  async create(
    appId: number,
    url: string,
    eventTypes: string[],
    witness?: Witness<Endpoint>,
  ): Promise<{ endpoint: Endpoint; secret: string } | null> {
    const now = this.now();
    const id = newId('wep');
    const { secret, sealed } = this.secrets.make(appId, id);
    const endpoint: Endpoint = {
      id,
      appId,
      url,
      eventTypes,
      state: 'PENDING',
      stateReason: null,
      secrets: [sealed],
      last4: secret.slice(-4),
      challenge: randomBytes(24).toString('base64url'),
      verifiedAt: null,
      disabledAt: null,
      createdAt: now,
      updatedAt: now,
    };
    const made = await this.dialect.transaction(async (tx) => {
      // Held, so that two are not counted as one.
      await this.store.lockApp(tx, appId);
      if ((await this.store.ofApp(tx, appId)).length >= MOST_ENDPOINTS) return false;
      await this.store.insert(tx, endpoint);
      await this.askChallenge(tx, endpoint, now, await this.turns.take(tx, appId, url, now));
      await witness?.(tx, null, endpoint);
      return true;
    });
    if (!made) return null;
    this.deliverer.wake();
    return { endpoint, secret };
  }

  find(appId: number, id: string): Promise<Endpoint | null> {
    return this.store.find(this.dialect.root, appId, id);
  }

  list(appId: number): Promise<Endpoint[]> {
    return this.store.ofApp(this.dialect.root, appId);
  }

  /** Whosever it is. */
  look(id: string): Promise<Endpoint | null> {
    return this.store.look(this.dialect.root, id);
  }

  ofApps(appIds: readonly number[]): Promise<Endpoint[]> {
    return this.store.ofApps(this.dialect.root, appIds);
  }

  /** What was switched off because of how it answered: somebody must look at it. */
  switchedOff(limit: number): Promise<Endpoint[]> {
    return this.store.switchedOff(this.dialect.root, limit);
  }

  async subscribe(appId: number, id: string, eventTypes: string[], witness?: Witness<Endpoint>): Promise<Endpoint | null> {
    return this.change(appId, id, async (_, endpoint) => ({ ...endpoint, eventTypes }), witness);
  }

  async disable(appId: number, id: string, witness?: Witness<Endpoint>): Promise<Endpoint | null> {
    const to = async (_: Sql, endpoint: Endpoint, now: number): Promise<Endpoint> =>
      endpoint.state === 'DISABLED' ? endpoint : { ...endpoint, state: 'DISABLED', stateReason: 'asked', disabledAt: now };
    return this.change(appId, id, to, witness);
  }

  /**
   * A disabled endpoint that was proven listens again, not earlier than five minutes after. An unproven one is asked again, a
   * minute after it, or another endpoint of the app at its host and path, was asked last at the earliest, and not while an earlier
   * challenge has attempts left. Throws AppError `rate_limited` as `create` does.
   */
  async enable(appId: number, id: string, witness?: Witness<Endpoint>): Promise<EnableOutcome> {
    let waitMs = 0;
    const to = async (tx: Sql, before: Endpoint, now: number): Promise<Endpoint> => {
      if (before.state === 'ENABLED') return before;
      if (before.state === 'DISABLED' && before.disabledAt !== null && before.stateReason !== 'asked')
        waitMs = Math.max(0, before.disabledAt + COOL_DOWN_MS - now);
      if (waitMs > 0) return before;
      const proven = before.verifiedAt !== null;
      const after: Endpoint = { ...before, state: proven ? 'ENABLED' : 'PENDING', stateReason: null, disabledAt: null };
      if (proven) return after;
      const { isOpen, lastAt } = await this.store.challengesOf(tx, id);
      if (isOpen) return before.state === 'PENDING' ? before : after;
      await this.store.lockApp(tx, appId);
      const from = lastAt === null ? now : Math.max(now, lastAt + CHALLENGE_PAUSE_MS);
      await this.askChallenge(tx, after, now, await this.turns.take(tx, appId, after.url, now, from));
      return after;
    };
    const endpoint = await this.change(appId, id, to, witness);
    if (!endpoint) return { outcome: 'not_found' };
    if (waitMs > 0) return { outcome: 'too_early', waitMs };
    this.deliverer.wake();
    return { outcome: 'enabled', endpoint };
  }

  /** The only time the new secret is shown. The old one signs along until the grace is over. */
  async rotateSecret(
    appId: number,
    id: string,
    graceMs: number,
    witness?: Witness<Endpoint>,
  ): Promise<{ endpoint: Endpoint; secret: string } | null> {
    const { secret, sealed } = this.secrets.make(appId, id);
    const to = async (_: Sql, before: Endpoint, now: number): Promise<Endpoint> => ({
      ...before,
      secrets: this.secrets.rotated(before.secrets, sealed, graceMs, now),
      last4: secret.slice(-4),
    });
    const endpoint = await this.change(appId, id, to, witness);
    return endpoint && { endpoint, secret };
  }

  /** Its deliveries stay in the log; what was not delivered is given up. */
  async remove(appId: number, id: string, witness?: Witness<Endpoint>): Promise<boolean> {
    const removed = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, id);
      if (!before || !(await this.store.remove(tx, appId, id))) return false;
      await witness?.(tx, before, null);
      return true;
    });
    if (removed) await this.directory.changed();
    return removed;
  }

  /**
   * Puts a `webhook.ping` into the outbox, whatever the endpoint subscribed to, and answers before it is sent: how its one attempt went,
   * the delivery says. The id of the delivery; null if there is no such endpoint. Throws AppError `state_conflict` unless it is enabled.
   */
  async ping(appId: number, id: string, also?: (tx: Sql) => Promise<void>): Promise<string | null> {
    const now = this.now();
    const deliveryId = await this.dialect.transaction(async (tx) => {
      const endpoint = await this.store.find(tx, appId, id);
      if (!endpoint) return null;
      mustListen(endpoint);
      await also?.(tx);
      return this.write(tx, endpoint, PING, { endpointId: id }, manualTargetOf(appId, endpoint.url, id), now);
    });
    this.deliverer.wake();
    return deliveryId;
  }

  private async askChallenge(tx: Sql, endpoint: Endpoint, now: number, dueAt: number): Promise<void> {
    const { id, appId, url, challenge } = endpoint;
    await this.write(tx, endpoint, VERIFICATION, { endpointId: id, challenge }, targetOf(appId, url, id), now, dueAt);
  }

  private async write(
    tx: Sql,
    { id, appId, url }: Endpoint,
    type: string,
    data: Record<string, unknown>,
    target: string,
    now: number,
    dueAt?: number,
  ): Promise<string> {
    const eventId = newId('evt');
    const body = plainEventBody(eventId, type, now, data);
    const event = { id: eventId, appId, taskId: null, seq: null, type, body, occurredAt: now, dueAt };
    const [ids] = await this.outbox.insert(tx, [{ ...event, receivers: [{ endpointId: id, url, target }] }], now);
    return ids?.[0] as string;
  }

  private async change(
    appId: number,
    id: string,
    to: (tx: Sql, endpoint: Endpoint, now: number) => Promise<Endpoint>,
    witness?: Witness<Endpoint>,
  ): Promise<Endpoint | null> {
    const changed = await this.dialect.transaction(async (tx) => {
      const before = await this.store.lock(tx, id);
      if (before?.appId !== appId) return null;
      const now = this.now();
      const after = await to(tx, before, now);
      if (after === before) return before;
      const saved = { ...after, updatedAt: now };
      await this.store.save(tx, saved);
      await witness?.(tx, before, saved);
      return saved;
    });
    if (changed) await this.directory.changed();
    return changed;
  }

  private now(): number {
    return Math.round(this.clock.now());
  }
}

/** Throws AppError `state_conflict`: what is queued for an endpoint that does not listen is given up unsent. */
export function mustListen({ state }: Pick<Endpoint, 'state'>): void {
  if (state !== 'ENABLED') throw AppError.because('state_conflict', 'endpoint_not_enabled', { endpointState: state });
}
