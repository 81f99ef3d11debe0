import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { afterOutcome, HEALTHY, isBeyondHope, isHealthy } from '../decisions/callback-circuit.js';
import { endsChallenge, nextDelay } from '../decisions/callback-schedule.js';
import { isHeldBack, unwanted } from '../decisions/callback-turn.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { Ticker } from '../platform/ticker.js';
import { type Sql, SqlDialect } from '../ports.js';
import { AttemptDelivery, kindOf } from './attempt-delivery.js';
import { CallbackOutbox } from './callback-outbox.js';
import { CallbackTrail, endpointFacts } from './callback-trail.js';
import type { AttemptResult, ClaimedSend, DisabledReason } from './callbacks.js';
import { DeliveryNews } from './delivery-news.js';
import { EndpointStore } from './endpoint.store.js';
import { circuitOf, EndpointDirectory, endpointOf } from './endpoint-directory.js';
import { SealingKeyMissing } from './secret-sealer.js';
import { type DueTarget, SendStore, type SendVerdict } from './send.store.js';

const LOOK_MS = 500;
/** After something was written here: time for its commit. */
const COMMIT_MS = 15;
const TARGETS_A_LOOK = 200;
const AT_ONCE = 128;
const PER_APP = 16;
const PER_HOST = 4;
/** Longer than any attempt can take. */
const LEASE_MS = 30_000;
const EXPIRES_AFTER_MS = 72 * 3600_000;
const EXPIRED_A_LOOK = 200;
const STOP_MS = 1_000;

/**
 * Sends what is due, on every node at once; a lease in the row says who attempts it. If this process dies with a lease, the row is due
 * again when the lease ends, and the receiver may get the same event a second time under the same id: at least once, never less.
 *
 * Fair by target: each round takes from every line that has something due, at most four at once per host and sixteen per app, so a
 * receiver that hangs holds up nobody else. A target that keeps failing has its circuit opened: what waits there waits, without an
 * attempt, until one send was let through and succeeded, or until it is three days old.
 */
@Injectable()
export class Deliverer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Deliverer.name);
  private readonly inFlight = new Map<string, { app: string; host: string; done: Promise<void> }>();
  private readonly abort = new AbortController();
  private readonly missingKeys = new Set<string>();
  private after = '';
  private readonly loop = new Ticker(() => this.round(), {
    everyMs: LOOK_MS,
    onError: (error) => this.log.warn('callbacks not sent, trying again', { err: error }),
  });

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SendStore,
    private readonly endpoints: EndpointStore,
    private readonly directory: EndpointDirectory,
    private readonly delivery: AttemptDelivery,
    private readonly clock: Clock,
    private readonly trail: CallbackTrail,
    outbox: CallbackOutbox,
    private readonly news: DeliveryNews,
  ) {
    outbox.onRecord(() => this.loop.wakeIn(COMMIT_MS));
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Attempts under way get a second; the others are given back, to be made by whoever comes next. */
  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    const timer = setTimeout(() => this.abort.abort(new Error('stopping')), STOP_MS);
    await this.settled();
    clearTimeout(timer);
  }

  /** Something was written that is to be sent. */
  wake(): void {
    this.news.changed();
    this.loop.wake();
  }

  /** Every attempt under way has been written down. */
  async settled(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all([...this.inFlight.values()].map(({ done }) => done));
  }

  /** Claims what is due and begins to send it. */
  async round(): Promise<void> {
    const now = Math.round(this.clock.now());
    const { last, due } = await this.store.dueTargets(this.dialect.root, this.after, now, TARGETS_A_LOOK);
    this.after = last ?? '';
    for (const target of due) await this.take(target, now);
    if (last !== null) this.loop.wake();
  }

  private async take({ target, openUntil }: DueTarget, now: number): Promise<void> {
    const slot = slotOf(target);
    let room = this.room(slot);
    let isProbe = false;
    if (isHeldBack(openUntil, now)) {
      const expired = await this.dialect.transaction((tx) => this.giveUpOld(tx, target, now));
      if (expired > 0) this.news.changed();
      if (expired === EXPIRED_A_LOOK) this.loop.wake();
      return;
    }
    if (openUntil !== null && room > 0) {
      isProbe = await this.store.takeProbe(this.dialect.root, target, openUntil, now + LEASE_MS);
      room = isProbe ? 1 : 0;
    }
    if (room <= 0) return;
    const lease = newId('snd');
    const claimed = await this.dialect.transaction((tx) => this.store.claim(tx, target, room, now, lease, now + LEASE_MS));
    for (const send of claimed) this.begin(send, slot, isProbe);
  }

  /** What waits behind an open circuit is given up when it is three days old, or at once if its endpoint no longer listens. */
  private async giveUpOld(tx: Sql, target: string, now: number): Promise<number> {
    const endpointId = endpointOf(target);
    const listens = endpointId === null || (await this.endpoints.listens(tx, endpointId));
    return this.store.expire(tx, target, listens ? now - EXPIRES_AFTER_MS : now + 1, now, EXPIRED_A_LOOK);
  }

  private room({ app, host }: { app: string; host: string }): number {
    const under = [...this.inFlight.values()];
    const ofApp = under.filter((each) => each.app === app).length;
    const ofHost = under.filter((each) => each.host === host).length;
    return Math.min(AT_ONCE - under.length, PER_APP - ofApp, PER_HOST - ofHost);
  }

  private begin(send: ClaimedSend, slot: { app: string; host: string }, isProbe: boolean): void {
    const key = `${send.id} ${send.lease}`;
    const done = this.carryOut(send, isProbe)
      .catch((error) => this.tellUnsent(send, error))
      .then(() => {
        this.inFlight.delete(key);
        this.loop.wake();
      });
    this.inFlight.set(key, { ...slot, done });
  }

  /** It is tried again when the lease is over: by a node that has the key, or once this one is given it. */
  private tellUnsent({ deliveryId, appId, endpointId }: ClaimedSend, error: unknown): void {
    if (!(error instanceof SealingKeyMissing)) {
      this.log.warn('callback not recorded, it is sent again', { err: error, delivery: deliveryId });
      return;
    }
    const { keyId } = error;
    if (this.missingKeys.has(keyId)) return;
    this.missingKeys.add(keyId);
    this.log.error('EK_KEKS of this node lacks the key that wraps secrets of callbacks: it sends none signed with them', {
      kek: keyId,
      ...{ delivery: deliveryId, app: appId, endpoint: endpointId },
      next: 'put the key into EK_KEKS and start the node again; if it is lost, rotate the secrets it wraps',
    });
  }

  private async carryOut(send: ClaimedSend, isProbe: boolean): Promise<void> {
    if (!isWanted(send)) {
      await this.dialect.transaction((tx) => this.store.giveUp(tx, send, Math.round(this.clock.now())));
      this.news.changed();
      return;
    }
    let result: AttemptResult;
    try {
      result = await this.delivery.attempt(send, this.abort.signal);
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
      await this.store.release(this.dialect.root, send, Math.round(this.clock.now()));
      return;
    }
    const changed = await this.dialect.transaction((tx) => this.settle(tx, send, result, isProbe));
    this.news.attempted({
      endpointId: send.endpointId,
      succeeded: result.class === 'success',
      refused: result.class === 'blocked',
      durationMs: result.durationMs,
    });
    if (changed) await this.directory.changed();
  }

  /** True if an endpoint was switched on or off. */
  private async settle(tx: Sql, send: ClaimedSend, result: AttemptResult, isProbe: boolean): Promise<boolean> {
    const now = Math.round(this.clock.now());
    await this.store.settle(tx, send, result, verdictOf(send, result, now, isProbe), now);
    if (result.class === 'blocked' && send.blocks === 0) await this.tellBlocked(tx, send);
    const switchedOff = await this.judge(tx, send, result, isProbe, now);
    if (send.endpointId === null) return switchedOff;
    if (result.class === 'success' && result.verified) return this.endpoints.verify(tx, send.endpointId, now);
    if (result.class !== 'gone') return switchedOff;
    return (await this.switchOff(tx, send.endpointId, 'gone', now)) || switchedOff;
  }

  /** Moves the target's circuit; an endpoint beyond hope is switched off. */
  private async judge(tx: Sql, send: ClaimedSend, result: AttemptResult, isProbe: boolean, now: number): Promise<boolean> {
    const succeeded = result.class === 'success';
    // A person's attempt may prove that a target works again; that it does not is no news.
    if (isAskedFor(send) && !succeeded) return false;
    const target = circuitOf(send.target);
    let known = await this.store.health(tx, target);
    if (!known && succeeded) return false;
    if (!known && !(await this.store.openHealth(tx, target, now))) known = await this.store.health(tx, target);
    const health = afterOutcome(known ?? HEALTHY, succeeded, now, isProbe);
    if (isHealthy(health)) await this.store.forgetHealth(tx, target);
    else await this.store.saveHealth(tx, target, health, now);
    if (send.endpointId === null || !isBeyondHope(health, now)) return false;
    return this.switchOff(tx, send.endpointId, 'failing', now);
  }

  /** True for whoever ended it. */
  private async switchOff(tx: Sql, endpointId: string, reason: DisabledReason, now: number): Promise<boolean> {
    const before = await this.endpoints.lock(tx, endpointId);
    if (!before || !(await this.endpoints.disable(tx, endpointId, reason, now))) return false;
    const after = { ...before, state: 'DISABLED' as const, stateReason: reason };
    await this.trail.write(tx, {
      action: 'endpoint.disabled',
      object: { type: 'endpoint', id: endpointId },
      before: endpointFacts(before),
      after: endpointFacts(after),
    });
    this.log.warn('endpoint disabled', { endpoint: endpointId, app: before.appId, reason });
    return true;
  }

  /** Once per delivery; a circuit lets few through. Which address it was is told to nobody. */
  private tellBlocked(tx: Sql, { deliveryId, endpointId, url, trigger }: ClaimedSend): Promise<void> {
    const after = { host: new URL(url).host, endpointId, trigger };
    return this.trail.write(tx, { action: 'ssrf.blocked', object: { type: 'delivery', id: deliveryId }, after });
  }
}

function slotOf(target: string): { app: string; host: string } {
  const [app = '', host = ''] = target.split('|');
  return { app, host: `${app}|${host}` };
}

function isWanted({ endpointId, endpoint, eventType, trigger }: ClaimedSend): boolean {
  const receiver = endpointId === null ? undefined : (endpoint?.state ?? null);
  return unwanted(receiver, kindOf(eventType), trigger === 'manual') === null;
}

/** Somebody wants to see how one attempt goes: there is no second. */
const isAskedFor = ({ eventType, trigger }: Pick<ClaimedSend, 'eventType' | 'trigger'>): boolean =>
  trigger === 'manual' || kindOf(eventType) === 'test';

/** What was let through an open circuit and is too old to wait behind it again is given up. */
function verdictOf(send: ClaimedSend, result: AttemptResult, now: number, isProbe: boolean): SendVerdict {
  const failures = send.failures + 1;
  const blocks = send.blocks + (result.class === 'blocked' ? 1 : 0);
  const unproven = kindOf(send.eventType) === 'challenge' && endsChallenge(failures);
  const expired = isProbe && send.createdAt < now - EXPIRES_AFTER_MS;
  if (isAskedFor(send) || result.class === 'success' || result.class === 'gone' || unproven || expired) return { kind: 'done' };
  const delay = nextDelay(result, failures, blocks, now, Math.random());
  return delay === null ? { kind: 'done' } : { kind: 'later', dueAt: now + delay, failures, blocks };
}
