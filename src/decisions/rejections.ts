import type { ProblemCode } from '@evenkeel/sdk/contract';

/** Refusals at the door: of who sends, with what key, from where, how often. What a verified request asks for is another matter. */
const AT_THE_DOOR: ReadonlySet<string> = new Set<ProblemCode>([
  'auth_missing',
  'auth_malformed',
  'auth_failed',
  'auth_throttled',
  'timestamp_out_of_range',
  'invalid_request_target',
  'content_digest_mismatch',
  'unsupported_content_encoding',
  'nonce_reused',
  'key_disabled',
  'key_expired',
  'ip_not_allowed',
  'insufficient_scope',
  'rate_limited',
  'replay_protection_unavailable',
]);
export const isRejection = (code: string): boolean => AT_THE_DOOR.has(code);

const SECRET_VALUE = /\b(sk_live|sk_test|wsk|whsec)_[A-Za-z0-9+/=_-]*/g;
const SECRET_PARAMETER = /([?&][^=&]*(?:secret|token|passw|signature|credential)[^=&]*=)[^&]*/gi;

/** What a stranger sent, fit to be kept: printable ASCII of bounded length, and what looks like a secret masked. */
export const keptText = (text: string, length: number): string =>
  text
    .replace(/[^ -~]/g, '?')
    .replace(SECRET_VALUE, '$1_***')
    .replace(SECRET_PARAMETER, '$1***')
    .slice(0, length);
