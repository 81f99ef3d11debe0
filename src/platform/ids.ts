import { uuidv7obj } from 'uuidv7';

export type IdPrefix =
  | 'task'
  | 'app'
  | 'job'
  | 'att'
  | 'evt'
  | 'dlv'
  | 'bkf'
  | 'wep'
  | 'snd'
  | 'node'
  | 'req'
  | 'ses'
  | 'aud'
  | 'rej'
  | 'bulk';
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'.toUpperCase();

/** `<prefix>_` and 26 Crockford base32 characters of a monotonic UUIDv7: not guessable, sorted by creation within a process. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(uuidv7obj().bytes)}`;
}

/** 128 bits as 26 characters, two zero bits in front, so that text order is number order. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 2;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}

const PROCESS_PART = newId('req').slice(0, 'req_'.length + 18);
let requests = 0;

/** The id of one HTTP request: unique, but no secret, so it costs no randomness of its own. */
export function newRequestId(): string {
  requests += 1;
  let digits = '';
  for (let rest = requests, i = 0; i < 8; i++, rest = Math.floor(rest / 32)) digits = ALPHABET[rest % 32] + digits;
  return PROCESS_PART + digits;
}

const ID = /^[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}$/;
export const isId = (prefix: IdPrefix, text: string): boolean => text.startsWith(`${prefix}_`) && ID.test(text);

/** Smallest id of the prefix that any process can have made at or after the instant (epoch milliseconds). */
export function firstIdAt(prefix: IdPrefix, atMs: number): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, atMs)) << 16n);
  return `${prefix}_${base32(bytes)}`;
}

/** When the id was made, in epoch milliseconds. */
export function instantOfId(id: string): number {
  let value = 0;
  for (const digit of id.slice(id.indexOf('_') + 1, id.indexOf('_') + 11)) value = value * 32 + ALPHABET.indexOf(digit);
  return value;
}
