import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CanonicalTarget, canonicalTarget, EK1_HEADERS, EK1_PATTERNS, EK1_SCHEME } from './canonical-target.js';

/**
 * EK1-HMAC-SHA256: the bytes that are signed, the same for partners, workers and the centre.
 * The secret is used as displayed (UTF-8 of the whole string). Pure: no clock, no randomness, no network.
 */
export interface SignedParts {
  accessKey: string;
  timestamp: string;
  nonce: string;
  method: string;
  target: string;
  body: Uint8Array | string;
}

/** The eight lines that are signed. Throws InvalidTargetError. */
export function canonicalString(parts: SignedParts, target: CanonicalTarget = canonicalTarget(parts.target)): string {
  return [
    EK1_SCHEME,
    parts.accessKey,
    parts.timestamp,
    parts.nonce,
    parts.method,
    target.path,
    target.canonicalQuery,
    createHash('sha256').update(parts.body).digest('hex'),
  ].join('\n');
}

/** `v1=<hex>` over a canonical string. */
export function signature(secret: string, canonical: string): string {
  return `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`;
}

/** Compares in constant time. A malformed signature is simply not equal. */
export function signatureMatches(secret: string, canonical: string, given: string): boolean {
  const wellFormed = EK1_PATTERNS.signature.test(given);
  const expected = createHmac('sha256', secret).update(canonical).digest();
  const received = wellFormed ? Buffer.from(given.slice(3), 'hex') : Buffer.alloc(32);
  return timingSafeEqual(expected, received) && wellFormed;
}

/** The four headers of a signed request. */
export function signedHeaders(parts: SignedParts, secret: string): Record<string, string> {
  return {
    [EK1_HEADERS.accessKey]: parts.accessKey,
    [EK1_HEADERS.timestamp]: parts.timestamp,
    [EK1_HEADERS.nonce]: parts.nonce,
    [EK1_HEADERS.signature]: signature(secret, canonicalString(parts)),
  };
}
