import type { IncomingHttpHeaders } from 'node:http';
import {
  canonicalString,
  EK1_HEADERS,
  EK1_PATTERNS,
  EK1_WINDOW_SECONDS,
  InvalidTargetError,
  type ProblemCode,
  signatureMatches,
} from '../contract/index.js';

export interface OrderKeys {
  key: string;
  secret: string;
  /** Epoch milliseconds by the centre's clock. */
  now: () => number;
}
export interface ClaimedSignature {
  accessKey: string;
  timestamp: string;
  nonce: string;
  signature: string;
}

/** What can be said before the body is read. A code = refused with 401. */
export function claimedSignature(headers: IncomingHttpHeaders, { now }: OrderKeys): ClaimedSignature | ProblemCode {
  const [accessKey, timestamp, nonce, signature] = [
    EK1_HEADERS.accessKey,
    EK1_HEADERS.timestamp,
    EK1_HEADERS.nonce,
    EK1_HEADERS.signature,
  ].map((name) => headers[name]);
  if (accessKey === undefined || timestamp === undefined || nonce === undefined || signature === undefined) return 'auth_missing';
  // A repeated header arrives joined with ", " and fits no pattern.
  if (typeof accessKey !== 'string' || !EK1_PATTERNS.workerKey.test(accessKey)) return 'auth_malformed';
  if (typeof timestamp !== 'string' || !EK1_PATTERNS.timestamp.test(timestamp)) return 'auth_malformed';
  if (typeof nonce !== 'string' || !EK1_PATTERNS.nonce.test(nonce)) return 'auth_malformed';
  if (typeof signature !== 'string' || !EK1_PATTERNS.signature.test(signature)) return 'auth_malformed';
  if (Math.abs(Math.floor(now() / 1000) - Number(timestamp)) > EK1_WINDOW_SECONDS) return 'timestamp_out_of_range';
  return { accessKey, timestamp, nonce, signature };
}

/** Whether the centre, who alone has this worker's key too, sent exactly these bytes. Another key fails like a wrong signature. */
export function isSignedBy(
  { key, secret }: OrderKeys,
  claimed: ClaimedSignature,
  method: string,
  target: string,
  body: Uint8Array,
): boolean {
  try {
    const canonical = canonicalString({ ...claimed, method, target, body });
    return signatureMatches(secret, canonical, claimed.signature) && claimed.accessKey === key;
  } catch (error) {
    if (error instanceof InvalidTargetError) return false;
    throw error;
  }
}
