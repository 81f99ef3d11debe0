const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 26;

/** Smallest id of the prefix that can have been made at or after the instant; as `firstIdAt` of the server. Usable as a cursor. */
export function firstIdAt(prefix: string, atMs: number): string {
  let rest = BigInt(Math.max(0, Math.floor(atMs))) << 80n;
  let text = '';
  for (let i = 0; i < DIGITS; i++, rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text;
  return `${prefix}_${text}`;
}
