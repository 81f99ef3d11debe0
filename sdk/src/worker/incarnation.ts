import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * One life of the process: a UUIDv7 in 26 Crockford base32 characters. A later life sorts after an earlier one as long as the
 * machine's clock does not go back; the centre decides who is newer, not this file.
 */
export function newIncarnation(nowMs: number = Date.now(), random: Uint8Array = randomBytes(10)): string {
  let value = BigInt(nowMs) & 0xffff_ffff_ffffn;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  value = (value & ~(0xfn << 76n)) | (0x7n << 76n);
  value = (value & ~(0x3n << 62n)) | (0x2n << 62n);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}
