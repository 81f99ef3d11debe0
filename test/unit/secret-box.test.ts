import { Keyring, openSecret, rewrapSecret, SecretBoxError, type SecretOwner, sealSecret } from '../../src/auth/secret-box.js';

class Ring extends Keyring {
  readonly keys = new Map([
    ['k1', Buffer.alloc(32, 1)],
    ['k2', Buffer.alloc(32, 2)],
  ]);
  constructor(readonly currentId = 'k1') {
    super();
  }
  get current() {
    return { id: this.currentId, key: this.keys.get(this.currentId) as Buffer };
  }
  get(id: string): Buffer | undefined {
    return this.keys.get(id);
  }
}
const owner: SecretOwner = { purpose: 'access-key', appId: 7, accessKey: 'ak_test_0123456789abcdef0123' };
const secret = `sk_live_${'x'.repeat(43)}`;
const reasonOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof SecretBoxError ? error.reason : error;
  }
  return 'opened';
};

describe('a secret box', () => {
  it('opens for its owner, is never the same twice, and fits its column', () => {
    const boxes = [sealSecret(secret, owner, new Ring()), sealSecret(secret, owner, new Ring())] as const;
    expect(boxes[0]).not.toBe(boxes[1]);
    for (const box of boxes) {
      expect(openSecret(box, owner, new Ring())).toBe(secret);
      expect(box).toMatch(/^v1\.k1\.[\x21-\x7e]+$/);
      expect(box.length).toBeLessThan(512);
      expect(box).not.toContain(secret);
    }
  });

  it.each<[string, Partial<SecretOwner>]>([
    ['app', { appId: 8 }],
    ['key', { accessKey: 'ak_test_other' }],
    ['purpose', { purpose: 'webhook' }],
    ['kind of owner', { appId: null }],
  ])('does not open for another %s', (_what, other) => {
    const box = sealSecret(secret, owner, new Ring());
    expect(reasonOf(() => openSecret(box, { ...owner, ...other }, new Ring()))).toBe('not_authentic');
  });

  it('does not open when a single bit has changed, or bytes are missing', () => {
    const box = sealSecret(secret, owner, new Ring());
    const [version, id, content] = box.split('.') as [string, string, string];
    const bytes = Buffer.from(content, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      const reason = reasonOf(() => openSecret(`${version}.${id}.${changed.toString('base64url')}`, owner, new Ring()));
      expect([at, reason]).toEqual([at, 'not_authentic']);
    }
    for (const length of [0, 10, 87, 90, bytes.length - 12]) {
      const cut = `${version}.${id}.${bytes.subarray(0, length).toString('base64url')}`;
      expect(reasonOf(() => openSecret(cut, owner, new Ring()))).not.toBe('opened');
    }
  });

  it('is wrapped anew by another key without being opened, and then needs that one only', () => {
    const box = sealSecret(secret, owner, new Ring('k1'));
    const ring = new Ring('k2');
    const rewrapped = rewrapSecret(box, owner, ring);
    ring.keys.delete('k1');
    expect(openSecret(rewrapped, owner, ring)).toBe(secret);
    expect(reasonOf(() => openSecret(box, owner, ring))).toBe('unknown_kek');
  });
});
