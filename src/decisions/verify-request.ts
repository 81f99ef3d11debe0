import {
  type CanonicalTarget,
  canonicalString,
  canonicalTarget,
  EK1_HEADERS,
  EK1_PATTERNS,
  EK1_WINDOW_SECONDS,
  InvalidTargetError,
  type ProblemCode,
  signatureMatches,
} from '@evenkeel/sdk/contract';
import { digestFault } from './content-digest.js';

/** What arrived, before anything was believed. */
export interface RequestParts {
  method: string;
  /** The raw request target as the client addressed it. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  ip: string;
  nowMs: number;
}

/** What is known of an access key that exists. */
export interface KeyFacts {
  secret: string;
  disabled: boolean;
  /** Epoch milliseconds; null = never. */
  expiresAt: number | null;
  allowsIp(ip: string): boolean;
}

export type NonceClaim = 'fresh' | 'used' | 'unavailable';
export interface Lookups<K extends KeyFacts> {
  /** Form of the keys this channel accepts. */
  keyPattern: RegExp;
  findKey(accessKey: string): K | null | Promise<K | null>;
  /** `timestamp` is the request's, in unix seconds. null: this channel keeps no nonces. */
  claimNonce: ((accessKey: string, nonce: string, timestamp: number) => Promise<NonceClaim>) | null;
  /** True if repeating this verified request does nothing new, so that it may pass while no nonce can be claimed. */
  harmlessTwice(parts: RequestParts): boolean;
}

export type RequestVerdict<K extends KeyFacts> =
  | { ok: true; accessKey: string; key: K; target: CanonicalTarget }
  /** `known` is the key of a sender who proved it and is refused all the same; a replay proves nothing. */
  | {
      ok: false;
      code: ProblemCode;
      detail: string;
      accessKey: string | null;
      known: K | null;
      /** SHA-256 of the body, of a signature that matches nothing. */
      bodyDigest?: string;
    };

export interface KeyRefusal {
  code: ProblemCode;
  detail: string;
}
/** The same for a key that does not exist and for a signature that does not match. */
export const NOT_PROVEN: KeyRefusal = {
  code: 'auth_failed',
  detail: 'the access key is unknown or the signature does not match',
};

/** Stands in for the secret of a key that does not exist, so that both cases cost one HMAC. It verifies nothing. */
const DUMMY_SECRET = 'sk_none_000000000000000000000000000000000000000000000';

/**
 * The EK1 verifier: the decision order is the contract. Nothing about a key is told before its secret was proven, and a nonce is
 * claimed only after that, so a stranger can neither probe keys nor burn nonces. Every lookup is an argument.
 */
export async function verifyRequest<K extends KeyFacts>(parts: RequestParts, lookups: Lookups<K>): Promise<RequestVerdict<K>> {
  const { headers } = parts;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && String(encoding).toLowerCase() !== 'identity') {
    return refused('unsupported_content_encoding', 'Content-Encoding is not accepted: send the body as it is');
  }
  const accessKey = headers[EK1_HEADERS.accessKey];
  const timestamp = headers[EK1_HEADERS.timestamp];
  const nonce = headers[EK1_HEADERS.nonce];
  const signature = headers[EK1_HEADERS.signature];
  if (!accessKey || !timestamp || !nonce || !signature) return refused('auth_missing', missing(headers));
  if (!matches(lookups.keyPattern, accessKey)) return malformed(EK1_HEADERS.accessKey);
  if (!matches(EK1_PATTERNS.timestamp, timestamp)) return malformed(EK1_HEADERS.timestamp);
  if (!matches(EK1_PATTERNS.nonce, nonce)) return malformed(EK1_HEADERS.nonce);
  if (!matches(EK1_PATTERNS.signature, signature)) return malformed(EK1_HEADERS.signature);

  if (Math.abs(Math.floor(parts.nowMs / 1000) - Number(timestamp)) > EK1_WINDOW_SECONDS) {
    return refused(
      'timestamp_out_of_range',
      `X-EK-Timestamp differs from serverTime by more than ${EK1_WINDOW_SECONDS} seconds`,
      accessKey,
    );
  }

  let target: CanonicalTarget;
  try {
    target = canonicalTarget(parts.target);
  } catch (error) {
    if (!(error instanceof InvalidTargetError)) throw error;
    return refused('invalid_request_target', error.rule, accessKey);
  }
  const fault = digestFault(headers['content-digest'], parts.body);
  if (fault) return refused('content_digest_mismatch', fault, accessKey);

  const key = await lookups.findKey(accessKey);
  const canonical = canonicalString({ ...parts, accessKey, timestamp, nonce }, target);
  const proven = signatureMatches(key?.secret ?? DUMMY_SECRET, canonical, signature);
  if (!key || !proven) {
    const bodyDigest = canonical.slice(canonical.lastIndexOf('\n') + 1);
    return { ...refused(NOT_PROVEN.code, NOT_PROVEN.detail, accessKey), bodyDigest };
  }

  const standing = refusalOfKey(key, parts);
  if (standing) return refused(standing.code, standing.detail, accessKey, key);

  if (lookups.claimNonce) {
    const claim = await lookups.claimNonce(accessKey, nonce, Number(timestamp));
    if (claim === 'used') {
      return refused(
        'nonce_reused',
        'the nonce was used before: sign again with a fresh one and the same clientRequestId',
        accessKey,
      );
    }
    if (claim === 'unavailable' && !lookups.harmlessTwice(parts)) {
      return refused(
        'replay_protection_unavailable',
        'only reads and submissions with a clientRequestId pass for now',
        accessKey,
        key,
      );
    }
  }
  return { ok: true, accessKey, key, target };
}

/** Why a key that was proven may not be used; null if it may. */
export function refusalOfKey(key: KeyFacts, { ip, nowMs }: Pick<RequestParts, 'ip' | 'nowMs'>): KeyRefusal | null {
  if (key.disabled) return { code: 'key_disabled', detail: 'the access key is disabled' };
  if (key.expiresAt !== null && key.expiresAt <= nowMs) return { code: 'key_expired', detail: 'the access key has expired' };
  if (!key.allowsIp(ip)) return { code: 'ip_not_allowed', detail: 'the access key may not be used from this address' };
  return null;
}

function refused<K extends KeyFacts>(
  code: ProblemCode,
  detail: string,
  accessKey: string | null = null,
  known: K | null = null,
): Extract<RequestVerdict<K>, { ok: false }> {
  return { ok: false, code, detail, accessKey, known };
}

function malformed(header: string): RequestVerdict<never> {
  return refused<never>('auth_malformed', `${header} is malformed or sent more than once`);
}

function missing(headers: RequestParts['headers']): string {
  const absent = Object.values(EK1_HEADERS).filter((name) => !headers[name]);
  return `missing: ${absent.join(', ')}`;
}

const matches = (pattern: RegExp, value: string | string[]): value is string => typeof value === 'string' && pattern.test(value);
