import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { hex, hmacSha256, sha256 } from '../../console/src/lib/sha256.js';

describe('the SHA-256 of pages on plain http', () => {
  it('is that of Node for every message, and so is its HMAC', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 200 }), (message, secret) => {
        expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
        expect(hex(hmacSha256(secret, message))).toBe(createHmac('sha256', secret).update(message).digest('hex'));
      }),
    );
  });
});
