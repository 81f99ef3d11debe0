import type { RejectedRequest } from '../../../../src/admin/contract/keys.js';
import { type SignedRequest, sign } from './signature-check';

/** A refused request as the tester begins with it: its body counts by its digest until somebody pastes one. */
export function loaded({ accessKey, method, target, timestamp, nonce, bodyDigest }: RejectedRequest): SignedRequest {
  return {
    accessKey,
    secret: '',
    method,
    target,
    timestamp: timestamp ?? '',
    nonce: nonce ?? '',
    body: '',
    digest: bodyDigest ?? undefined,
  };
}

/** Its signature with the lines it was verified by; undefined where no signature was looked at. */
export function arrivedOf(rejected: RejectedRequest): { signature: string; lines: readonly string[] } | undefined {
  if (rejected.signature === null) return undefined;
  try {
    return { signature: rejected.signature, lines: sign(loaded(rejected)).lines };
  } catch {
    return undefined; // The target breaks a rule: said at its field.
  }
}
