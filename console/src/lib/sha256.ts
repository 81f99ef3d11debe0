/**
 * SHA-256 and HMAC in plain arithmetic, because a page on plain http is not offered the browser's own. Small and slow: for one request
 * at a time, never for passwords.
 */
const K = new Uint32Array(64);
const START = new Uint32Array(8);
{
  let found = 0;
  const fraction = (root: number) => ((root % 1) * 0x1_0000_0000) >>> 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (found < 8) START[found] = fraction(n ** (1 / 2));
    K[found] = fraction(n ** (1 / 3));
    found += 1;
  }
}
const BLOCK = 64;
const right = (x: number, n: number) => (x >>> n) | (x << (32 - n));

export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((message.length + 8) >>> 6) + 1) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (message.length << 3) >>> 0);
  const state = START.slice();
  const w = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += BLOCK) block(view, offset, state, w);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, i) => {
    out.setUint32(i * 4, word);
  });
  return digest;
}

function block(view: DataView, offset: number, state: Uint32Array, w: Uint32Array): void {
  const at = (i: number) => w[i] as number;
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + i * 4);
  for (let i = 16; i < 64; i++) {
    const s0 = right(at(i - 15), 7) ^ right(at(i - 15), 18) ^ (at(i - 15) >>> 3);
    const s1 = right(at(i - 2), 17) ^ right(at(i - 2), 19) ^ (at(i - 2) >>> 10);
    w[i] = at(i - 16) + s0 + at(i - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = right(e, 6) ^ right(e, 11) ^ right(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + at(i)) >>> 0;
    const s0 = right(a, 2) ^ right(a, 13) ^ right(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = (state[i] as number) + word;
  });
}

export function hmacSha256(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const key = new Uint8Array(BLOCK);
  key.set(secret.length > BLOCK ? sha256(secret) : secret);
  const joined = (mask: number, rest: Uint8Array) => {
    const whole = new Uint8Array(BLOCK + rest.length);
    whole.set(key.map((byte) => byte ^ mask));
    whole.set(rest, BLOCK);
    return whole;
  };
  return sha256(joined(0x5c, sha256(joined(0x36, message))));
}

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
