import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors.js';
import { RateLimiter } from '../ports.js';

/** Ten tries of one name from one address at once, then one every ten seconds. */
const PAIR = { intervalMicros: 10_000_000, burst: 10 } as const;
/** Sixty tries of whatever names from one address at once, then one every two seconds. */
const ADDRESS = { intervalMicros: 2_000_000, burst: 60 } as const;

/**
 * Slows down who guesses passwords, by name and address together and by address alone. Never by name alone: a stranger cannot lock
 * anybody out, the right password from another address always opens. Each try is counted before its password is looked at, so that
 * many at once are as slow as one after the other.
 */
@Injectable()
export class SignInThrottle {
  constructor(private readonly limiter: RateLimiter) {}

  /** Throws AppError `auth_throttled`. */
  async take(username: string, address: string): Promise<void> {
    const from = network(address);
    for (const [bucket, limit] of [
      [`sign-in:${from}`, ADDRESS],
      [`sign-in:${from}|${username.slice(0, 64)}`, PAIR],
    ] as const) {
      const verdict = await this.limiter.take(bucket, limit, 1);
      if (verdict.outcome !== 'allowed') {
        throw new AppError('auth_throttled', 'too many attempts to sign in from this address: wait a little', {
          retryAfter: verdict.retryAfterMicros / 1e6,
        });
      }
    }
  }
}

/** One household of IPv6 has 2^64 addresses: it counts as one. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const full = tail === undefined ? front : [...front, ...Array(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
  return `${full.slice(0, 4).join(':')}::/64`;
}
