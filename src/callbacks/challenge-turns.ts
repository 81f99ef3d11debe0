import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hostAndPort } from '../decisions/callback-url.js';
import { quotaExceeded } from '../platform/http/rate-limit-headers.js';
import type { Sql } from '../ports.js';
import { ChallengeStore } from './challenge.store.js';

/** From one challenge, or the latest attempt at it, to the next. */
export const CHALLENGE_PAUSE_MS = 60_000;
/** How long the challenge of a new endpoint may wait for its turn. */
const LONGEST_WAIT_MS = 5 * CHALLENGE_PAUSE_MS;

/**
 * When the challenges of an app are sent: those to one host and path a minute apart, whichever endpoint each is for, and although that
 * was deleted meanwhile. So whoever makes and deletes endpoints in a loop has nobody asked more often than that.
 */
@Injectable()
export class ChallengeTurns {
  constructor(private readonly store: ChallengeStore) {}

  /** Takes the next turn from then on; what was taken stays taken if the transaction commits. Epoch milliseconds. */
  async take(tx: Sql, appId: number, url: string, from: number): Promise<number> {
    const parsed = new URL(url);
    const targetHash = createHash('sha256')
      .update(`${appId}|${hostAndPort(parsed)}${parsed.pathname}`)
      .digest('hex');
    const at = Math.max(from, await this.store.lockNext(tx, targetHash));
    await this.store.setNext(tx, targetHash, at + CHALLENGE_PAUSE_MS);
    return at;
  }

  /** The same for a new endpoint, which does not wait for ever. Throws AppError `rate_limited`. */
  async takeSoon(tx: Sql, appId: number, url: string, now: number): Promise<number> {
    const at = await this.take(tx, appId, url, now);
    if (at - now <= LONGEST_WAIT_MS) return at;
    const seconds = Math.ceil((at - now - LONGEST_WAIT_MS) / 1000);
    const why = 'challenges of this app go to one host and path once a minute, and the next five minutes are taken';
    throw quotaExceeded('verification', `${why}: try again in ${seconds} s`, seconds);
  }
}
