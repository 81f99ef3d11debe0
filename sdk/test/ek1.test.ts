import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalString,
  canonicalTarget,
  EK1_PATTERNS,
  EK1_WINDOW_SECONDS,
  InvalidTargetError,
  signature,
  signatureMatches,
} from '../src/contract/index.js';

const vectors = JSON.parse(readFileSync(join(__dirname, '../../test/vectors/sign_vectors.json'), 'utf8'));
const { accessKey, secret } = vectors;
const timestamp = String(vectors.timestamp);

type Sides = { id: string; nonce: string; signatureA: string; signatureB: string; why?: string };
const sign = (method: string, target: string, body: string, nonce: string) =>
  signature(secret, canonicalString({ accessKey, timestamp, nonce, method, target, body }));

describe('EK1 signatures', () => {
  it.each(vectors.positive as Record<string, string>[])('$id: $title', (vector) => {
    const { method = '', target = '', nonce = '', bodyHex = '' } = vector;
    const parts = { accessKey, timestamp, nonce, method, target, body: Buffer.from(bodyHex, 'hex') };
    expect(canonicalTarget(target).canonicalQuery).toBe(vector.canonicalQuery);
    expect(canonicalString(parts)).toBe(vector.canonical);
    expect(signature(secret, canonicalString(parts))).toBe(vector.signature);
    expect(signatureMatches(secret, canonicalString(parts), vector.signature as string)).toBe(true);
  });

  it.each(vectors.equivalent as (Sides & { a: string; b: string })[])(
    '$id: $a is signed like $b',
    ({ a, b, nonce, signatureA, signatureB }) => {
      expect(sign('GET', a, '', nonce)).toBe(signatureA);
      expect(sign('GET', b, '', nonce)).toBe(signatureB);
      expect(signatureA).toBe(signatureB);
    },
  );

  it.each(vectors.different as (Sides & { a: [string, string, string]; b: [string, string, string] })[])(
    '$id: $why makes another signature',
    ({ a, b, nonce, signatureA, signatureB }) => {
      expect(sign(...a, nonce)).toBe(signatureA);
      expect(sign(...b, nonce)).toBe(signatureB);
      expect(signatureA).not.toBe(signatureB);
    },
  );

  it.each(vectors.malformedTargets as { target: string }[])('refuses to sign $target', ({ target }) => {
    expect(() => canonicalTarget(target)).toThrow(InvalidTargetError);
  });

  it('refuses more than 64 parameters', () => {
    expect(() => canonicalTarget(`/openapi/v1/tasks?${'a=1&'.repeat(65)}`)).toThrow(InvalidTargetError);
  });

  const verify = (vectors.verify as { headers: Record<string, string>; expect: { code: string } }[]).filter(
    ({ headers, expect: { code } }) => headers['x-ek-access-key'] === accessKey || code.startsWith('auth_'),
  );
  it.each(verify)('$id: $title', (vector) => {
    const {
      headers,
      method,
      target,
      bodyUtf8,
      now,
      expect: expected,
    } = vector as unknown as {
      headers: Record<string, string>;
      method: string;
      target: string;
      bodyUtf8: string;
      now: number;
      expect: { code: string };
    };
    // What comes after the signature (nonce store, addresses, encodings) is the centre's, and needs a good signature first.
    const decidedHere = ['auth_malformed', 'auth_failed'].includes(expected.code) ? expected.code : 'ok';
    expect(verdict(headers, method, target, bodyUtf8, now)).toBe(decidedHere);
  });
});

function verdict(headers: Record<string, string>, method: string, target: string, body: string, now: number): string {
  const [key = '', time = '', nonce = '', signed = ''] = ['access-key', 'timestamp', 'nonce', 'signature'].map(
    (name) => headers[`x-ek-${name}`],
  );
  const wellFormed =
    EK1_PATTERNS.partnerKey.test(key) &&
    EK1_PATTERNS.timestamp.test(time) &&
    EK1_PATTERNS.nonce.test(nonce) &&
    EK1_PATTERNS.signature.test(signed);
  if (!wellFormed) return 'auth_malformed';
  if (Math.abs(now - Number(time)) > EK1_WINDOW_SECONDS) return 'timestamp_out_of_range';
  const canonical = canonicalString({ accessKey: key, timestamp: time, nonce, method, target, body });
  return signatureMatches(secret, canonical, signed) && key === accessKey ? 'ok' : 'auth_failed';
}
