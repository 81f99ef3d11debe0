import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hostAndPort, plainPath } from '../decisions/callback-url.js';
import { quotaExceeded } from '../platform/http/rate-limit-headers.js';
import type { Sql } from '../ports.js';
import { ChallengeStore } from './challenge.store.js';

/** From one challenge, or the latest attempt at it, to the next. */
export const CHALLENGE_PAUSE_MS = 60_000;
/** How long a challenge may wait for its turn. */
const LONGEST_WAIT_MS = 5 * CHALLENGE_PAUSE_MS;
/** Ten a minute to one host and port: ten at once, and one more after each of these. */
const HOST_PAUSE_MS = CHALLENGE_PAUSE_MS / 10;
const AHEAD_MS = CHALLENGE_PAUSE_MS - HOST_PAUSE_MS;

/**
 * When the first attempts at the challenges of an app are made: those to one host and path a minute apart, whichever endpoint each is
 * for, and although that was deleted meanwhile; and of those to one host and port, whatever their paths, ten are let through a minute.
 * So whoever makes and deletes endpoints in a loop has nobody asked more often than that.
 */
@Injectable()
export class ChallengeTurns {
  constructor(private readonly store: ChallengeStore) {}

  /**
   * Takes the next turn, not before `from`; what was taken stays taken if the transaction commits. Epoch milliseconds. Throws AppError
   * `rate_limited` if it comes too late to wait for.
   */
  async take(tx: Sql, appId: number, url: string, now: number, from = now): Promise<number> {
    const parsed = new URL(url);
    const ofHost = hashOf(`${appId}|${hostAndPort(parsed)}`);
    const ofPlace = hashOf(`${appId}|${hostAndPort(parsed)}${plainPath(parsed)}`);
    // The wider one first, whoever asks, so that no two wait for each other.
    const hostNext = Math.max(now, await this.store.lockNext(tx, ofHost));
    const at = Math.max(from, hostNext - AHEAD_MS, await this.store.lockNext(tx, ofPlace));
    if (at - now > LONGEST_WAIT_MS) throw tooMany(Math.ceil((at - now - LONGEST_WAIT_MS) / 1000));
    await this.store.setNext(tx, ofHost, hostNext + HOST_PAUSE_MS);
    await this.store.setNext(tx, ofPlace, at + CHALLENGE_PAUSE_MS);
    return at;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function tooMany(seconds: number) {
  const pace = 'challenges of this app go to one host and path once a minute and to one host ten times a minute';
  return quotaExceeded('verification', `${pace}, and the next five minutes are taken: try again in ${seconds} s`, seconds);
}
