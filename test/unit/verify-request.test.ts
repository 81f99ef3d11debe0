import { canonicalString, canonicalTarget, InvalidTargetError, signature } from '@evenkeel/sdk/contract';
import { type KeyFacts, type Lookups, verifyRequest } from '../../src/decisions/verify-request.js';
import vectors from '../vectors/sign_vectors.json';

const { accessKey, secret, timestamp } = vectors;
const target = '/openapi/v1/tasks';

describe('the canonical string', () => {
  it.each(vectors.positive.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))('%s', (_title, vector) => {
    const parts = {
      accessKey,
      timestamp: String(timestamp),
      nonce: vector.nonce,
      method: vector.method,
      target: vector.target,
      body: Buffer.from(vector.bodyHex, 'hex'),
    };
    expect(canonicalTarget(vector.target).canonicalQuery).toBe(vector.canonicalQuery);
    expect(canonicalString(parts)).toBe(vector.canonical);
    expect(signature(secret, canonicalString(parts))).toBe(vector.signature);
  });

  it.each(vectors.equivalent.map((vector) => [vector.id, vector] as const))(
    '%s: both spellings are one request',
    (_id, vector) => {
      for (const [spelling, expected] of [
        [vector.a, vector.signatureA],
        [vector.b, vector.signatureB],
      ] as const) {
        expect(sign('GET', spelling, '', vector.nonce)).toBe(expected);
      }
      expect(vector.signatureA).toBe(vector.signatureB);
    },
  );

  it.each(vectors.different.map((vector) => [`${vector.id} ${vector.why}`, vector] as const))(
    '%s: two requests',
    (_title, vector) => {
      const [a, b] = [vector.a, vector.b] as [[string, string, string], [string, string, string]];
      expect(sign(...a, vector.nonce)).toBe(vector.signatureA);
      expect(sign(...b, vector.nonce)).toBe(vector.signatureB);
      expect(vector.signatureA).not.toBe(vector.signatureB);
    },
  );

  it.each(vectors.malformedTargets.map((vector) => [vector.target] as const))('has no form for the target %s', (given) => {
    const whole = given.includes('…(') ? `/openapi/v1/tasks?${Array(65).fill('a=1').join('&')}` : given;
    expect(() => canonicalTarget(whole)).toThrow(InvalidTargetError);
  });
});

describe('the verifier', () => {
  const known: Record<string, Partial<KeyFacts>> = {
    [accessKey]: {},
    ak_test_disabledKey00000001: { disabled: true },
    ak_test_ipBoundKey000000001: { allowsIp: () => false },
    ak_test_expiredKey000000001: { expiresAt: timestamp * 1000 },
  };
  const lookups = (used: string[] = []): Lookups<KeyFacts> => ({
    keyPattern: /^ak_(live|test)_[A-Za-z0-9]{16,32}$/,
    findKey: (name) => (known[name] ? { secret, disabled: false, expiresAt: null, allowsIp: () => true, ...known[name] } : null),
    claimNonce: async (_key, nonce) => {
      if (used.includes(nonce)) return 'used';
      used.push(nonce);
      return 'fresh';
    },
    harmlessTwice: () => false,
  });

  it.each(vectors.verify.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))('%s', async (_title, vector) => {
    const used = vector.expect.code === 'nonce_reused' ? [vector.headers['x-ek-nonce']] : [];
    const before = used.length;
    const verdict = await verifyRequest(
      {
        method: vector.method,
        target: vector.target,
        headers: vector.headers,
        body: Buffer.from(vector.bodyUtf8),
        ip: vector.ip,
        nowMs: vector.now * 1000,
      },
      lookups(used),
    );
    expect(verdict.ok ? 'ok' : verdict.code).toBe(vector.expect.code);
    if ('nonceStored' in vector) expect(used.length > before).toBe(vector.nonceStored);
  });

  const headers = (key: string, extra: Record<string, string> = {}) => {
    const nonce = 'n-decision-order-0001';
    const parts = { accessKey: key, timestamp: String(timestamp), nonce, method: 'POST', target, body: '{}' };
    return {
      'x-ek-access-key': key,
      'x-ek-timestamp': parts.timestamp,
      'x-ek-nonce': nonce,
      'x-ek-signature': signature(secret, canonicalString(parts)),
      ...extra,
    };
  };
  const verify = (given: Record<string, string>, over: { nowMs?: number; target?: string; lookups?: Lookups<KeyFacts> } = {}) =>
    verifyRequest(
      {
        method: 'POST',
        target: over.target ?? target,
        headers: given,
        body: Buffer.from('{}'),
        ip: '127.0.0.1',
        nowMs: over.nowMs ?? timestamp * 1000,
      },
      over.lookups ?? lookups(),
    );
  const wrong = { 'x-ek-signature': `v1=${'0'.repeat(64)}` };

  // Each row breaks its own rule and every later one: the first rule in the order answers.
  it.each([
    ['encoding', { ...wrong, 'content-encoding': 'gzip', 'x-ek-nonce': '' }, {}, 'unsupported_content_encoding'],
    ['a missing header', { ...wrong, 'x-ek-nonce': '', 'x-ek-timestamp': 'x' }, {}, 'auth_missing'],
    ['a malformed header', { ...wrong, 'x-ek-nonce': 'short' }, { nowMs: 0 }, 'auth_malformed'],
    ['the clock', wrong, { nowMs: 0, target: '/openapi/v1/tasks/' }, 'timestamp_out_of_range'],
    ['the target', { ...wrong, 'content-digest': 'sha-256=:AAAA:' }, { target: '/openapi/v1/tasks/' }, 'invalid_request_target'],
    ['the digest', { ...wrong, 'content-digest': 'sha-256=:AAAA:' }, {}, 'content_digest_mismatch'],
    ['the signature', wrong, {}, 'auth_failed'],
  ] as const)('asks about %s before what comes later', async (_what, extra, over, code) => {
    expect(await verify(headers(accessKey, extra), over)).toMatchObject({ ok: false, code });
  });

  it.each(['identity', 'Identity', 'IDENTITY'])('takes the body as it is by the coding %s', async (coding) => {
    expect((await verify(headers(accessKey, { 'content-encoding': coding }))).ok).toBe(true);
  });

  const ofBody = 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:';
  const ofAnother = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
  it.each([
    ['the plain form', ofBody, true],
    ['the form without padding', ofBody.replace('o=:', 'o:'), true],
    ['parameters', `${ofBody};q=0.5;note="a, ${ofAnother}";flag; x=?1`, true],
    ['parameters of another', `${ofAnother};${ofBody.slice(0, 7)}`, false],
    ['two of one name, the last right', `${ofAnother} ,\t${ofBody}`, true],
    ['two of one name, the last wrong', `${ofBody}, ${ofAnother}`, false],
    ['another algorithm beside it', `sha-512=:AAAA:;x="sha-256=:", ${ofBody}`, true],
    ['another algorithm alone', 'sha-512=:AAAA:', true],
    ['its name in the text of another', `x=:AAAA:;y="a, ${ofBody}", ${ofAnother}`, false],
    ['nothing', '', true],
  ])('reads a Content-Digest with %s', async (_what, digest, passes) => {
    const verdict = await verify(headers(accessKey, { 'content-digest': digest }));
    expect(verdict).toMatchObject(
      passes ? { ok: true } : { code: 'content_digest_mismatch', detail: expect.stringContaining('body that arrived') },
    );
  });

  it.each([
    'SHA-256=:AAAA:',
    'sha-256=44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    `${ofBody},`,
    `${ofBody} ${ofBody}`,
    `${ofBody};note="open`,
    'sha-256',
    'sha-256=(:AAAA:)',
  ])('says that the Content-Digest %s is none', async (digest) => {
    expect(await verify(headers(accessKey, { 'content-digest': digest }))).toMatchObject({
      code: 'content_digest_mismatch',
      detail: expect.stringContaining('malformed'),
    });
  });

  it.each([
    ['ak_test_disabledKey00000001', 'key_disabled'],
    ['ak_test_expiredKey000000001', 'key_expired'],
    ['ak_test_ipBoundKey000000001', 'ip_not_allowed'],
  ])('tells the state of %s only to who signed right', async (key, code) => {
    expect(await verify(headers(key))).toMatchObject({ code });
    expect(await verify(headers(key, wrong))).toMatchObject({ code: 'auth_failed' });
  });

  it('answers an unknown key and a wrong signature with the same words', async () => {
    const { accessKey: _a, ...unknown } = (await verify(headers('ak_test_unknownKey000000001'))) as { accessKey: string };
    const { accessKey: _b, ...guessed } = (await verify(headers(accessKey, wrong))) as { accessKey: string };
    expect(unknown).toEqual(guessed);
  });

  it('lets through what is harmless twice, and nothing else, while no nonce can be claimed', async () => {
    const away = { ...lookups(), claimNonce: async () => 'unavailable' as const };
    expect(await verify(headers(accessKey), { lookups: away })).toMatchObject({ code: 'replay_protection_unavailable' });
    expect(await verify(headers(accessKey), { lookups: { ...away, harmlessTwice: () => true } })).toMatchObject({ ok: true });
  });

  it('keeps no nonces for a channel that has no store', async () => {
    const worker = { ...lookups(), claimNonce: null };
    expect(await verify(headers(accessKey), { lookups: worker })).toMatchObject({ ok: true });
    expect(await verify(headers(accessKey), { lookups: worker })).toMatchObject({ ok: true });
  });
});

function sign(method: string, given: string, body: string, nonce: string): string {
  return signature(secret, canonicalString({ accessKey, timestamp: String(timestamp), nonce, method, target: given, body }));
}
