import { Injectable } from '@nestjs/common';
import type { ScheduleProgress } from '../decisions/callback-schedule.js';
import { holdOf, type TryHold } from '../decisions/callback-turn.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { type Sql, SqlDialect } from '../ports.js';
import { kindOf } from './attempt-delivery.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from './callbacks.js';
import { Deliverer } from './deliverer.js';
import { type DeliveryFilter, DeliveryStore } from './delivery.store.js';
import { EndpointStore } from './endpoint.store.js';
import { manualTargetOf, targetOf } from './endpoint-directory.js';
import { mustListen } from './endpoints.service.js';
import { OutboxStore } from './outbox.store.js';

const RECOVERED_AT_ONCE = 500;

/** The line that a delivery's schedule waits in. A test was asked for by a person, and no circuit holds it back. */
const lineOf = ({ appId, url, endpointId, eventType }: Delivery): string =>
  kindOf(eventType) === 'test' ? manualTargetOf(appId, url, endpointId) : targetOf(appId, url, endpointId);

/** The log of deliveries, and sending again. `appId` says whose a delivery must be; another app's looks like none; null for an operator. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: DeliveryStore,
    private readonly endpoints: EndpointStore,
    private readonly outbox: OutboxStore,
    private readonly deliverer: Deliverer,
    private readonly clock: Clock,
  ) {}

  async find(appId: number | null, id: string): Promise<{ delivery: Delivery; attempts: DeliveryAttempt[] } | null> {
    const { root } = this.dialect;
    const delivery = await this.store.find(root, appId, id);
    return delivery && { delivery, attempts: await this.store.attemptsOf(root, id) };
  }

  /** How far the schedule that is still going on has come; null if none is. */
  progressOf(deliveryId: string): Promise<ScheduleProgress | null> {
    return this.store.progressOf(this.dialect.root, deliveryId);
  }

  /** Why the next tries of those that have one are not made when they are due, by their ids; those that are made then are left out. */
  async holdsOf(deliveries: readonly Delivery[]): Promise<Map<string, TryHold>> {
    const waiting = deliveries.filter(({ state, nextAttemptAt }) => state === 'PENDING' && nextAttemptAt !== null);
    if (waiting.length === 0) return new Map();
    const states = await this.endpoints.statesOf(
      this.dialect.root,
      waiting.flatMap(({ endpointId }) => endpointId ?? []),
    );
    const health = await this.endpoints.healthOf(this.dialect.root, [...new Set(waiting.map(lineOf))]);
    return new Map(
      waiting.flatMap((delivery) => {
        const { id, endpointId, eventType, nextAttemptAt } = delivery;
        const receiver = endpointId === null ? undefined : (states.get(endpointId) ?? null);
        const openUntil = health.get(lineOf(delivery))?.openUntil ?? null;
        const hold = holdOf(nextAttemptAt as number, kindOf(eventType), receiver, openUntil);
        return hold ? [[id, hold] as const] : [];
      }),
    );
  }

  list(filter: DeliveryFilter): Promise<Delivery[]> {
    return this.store.list(this.dialect.root, filter);
  }

  bodyOf(eventId: string): Promise<string | null> {
    return this.store.bodyOf(this.dialect.root, eventId);
  }

  countsOfTask(taskId: string): Promise<Map<DeliveryState, number>> {
    return this.store.countsOfTask(this.dialect.root, taskId);
  }

  /**
   * One more attempt at once, whatever became of the earlier ones; the schedule goes on beside it. False if there is no such delivery.
   * Throws AppError `state_conflict` if its endpoint was deleted.
   */
  async redeliver(appId: number | null, id: string, also?: (tx: Sql) => Promise<void>): Promise<boolean> {
    const delivery = await this.store.find(this.dialect.root, appId, id);
    if (!delivery) return false;
    const target = manualTargetOf(delivery.appId, delivery.url, delivery.endpointId);
    const queued = await this.dialect.transaction(async (tx) => {
      if (!(await this.store.lock(tx, id, this.dialect.forUpdate))) return false;
      if (delivery.endpointId !== null && !(await this.endpoints.look(tx, delivery.endpointId)))
        throw AppError.because('state_conflict', 'endpoint_deleted');
      await this.outbox.again(tx, [{ deliveryId: id, target, trigger: 'manual' }], this.now());
      await also?.(tx);
      return true;
    });
    if (queued) this.deliverer.wake();
    return queued;
  }

  /**
   * Queues what was given up since then once more, with a schedule of its own. How many; null if there is no such endpoint. Dying in
   * it leaves some queued and the others as they were: asking again takes the rest. Throws AppError `state_conflict` unless the
   * endpoint is enabled.
   */
  async recover(appId: number, endpointId: string, since: number, also?: (tx: Sql) => Promise<void>): Promise<number | null> {
    const endpoint = await this.endpoints.find(this.dialect.root, appId, endpointId);
    if (!endpoint) return null;
    mustListen(endpoint);
    for (let total = 0, first = true; ; first = false) {
      const won = await this.dialect.transaction(async (tx) => {
        if (first) await also?.(tx);
        const now = this.now();
        const recovered = await this.store.recover(tx, endpointId, since, RECOVERED_AT_ONCE, now);
        const sends = recovered.map(({ id, url }) => ({
          deliveryId: id,
          target: targetOf(appId, url, endpointId),
          trigger: 'auto',
        }));
        await this.outbox.again(tx, sends, now);
        return recovered.length;
      });
      total += won;
      this.deliverer.wake();
      if (won < RECOVERED_AT_ONCE) return total;
    }
  }

  private now(): number {
    return Math.round(this.clock.now());
  }
}
