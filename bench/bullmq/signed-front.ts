import {
  canonicalString,
  canonicalTarget,
  EK1_HEADERS,
  EK1_PATTERNS,
  EK1_WINDOW_SECONDS,
  signatureMatches,
} from '@evenkeel/sdk/contract';
import type { FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';

/** Twice the timestamp window and a minute: as long as a signature can be replayed. */
const NONCE_TTL_MS = (2 * EK1_WINDOW_SECONDS + 60) * 1000;

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

/**
 * The checks of a signed partner request that Evenkeel makes too, in its order: form of the headers, time window, signature, nonce.
 * It leaves out what would only slow it down: key states, scopes, rate limits. Throws Refused.
 */
export async function verifySigned(
  request: FastifyRequest,
  body: Buffer,
  secrets: ReadonlyMap<string, string>,
  nonces: Redis,
): Promise<void> {
  const [accessKey, timestamp, nonce, signature] = [
    request.headers[EK1_HEADERS.accessKey],
    request.headers[EK1_HEADERS.timestamp],
    request.headers[EK1_HEADERS.nonce],
    request.headers[EK1_HEADERS.signature],
  ].map(String) as [string, string, string, string];
  const wellFormed =
    EK1_PATTERNS.partnerKey.test(accessKey) &&
    EK1_PATTERNS.timestamp.test(timestamp) &&
    EK1_PATTERNS.nonce.test(nonce) &&
    EK1_PATTERNS.signature.test(signature);
  if (!wellFormed) throw new Refused(401, 'auth_malformed');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > EK1_WINDOW_SECONDS) throw new Refused(401, 'timestamp_out_of_range');
  const target = request.raw.url ?? '';
  const canonical = canonicalString(
    { accessKey, timestamp, nonce, method: request.method, target, body },
    canonicalTarget(target),
  );
  const secret = secrets.get(accessKey);
  if (!signatureMatches(secret ?? '', canonical, signature) || secret === undefined) throw new Refused(401, 'auth_failed');
  const fresh = await nonces.set(`nonce:${accessKey}:${nonce}`, '1', 'PX', NONCE_TTL_MS, 'NX');
  if (fresh === null) throw new Refused(401, 'nonce_reused');
}
