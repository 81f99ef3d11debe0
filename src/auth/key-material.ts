import { createHash, randomBytes, randomInt } from 'node:crypto';

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export type KeyFlavour = 'live' | 'test' | 'worker';

/** A fresh pair. The prefixes let secret scanners find leaks; a worker's id has no mode. */
export function newKeyPair(flavour: KeyFlavour): { accessKey: string; secret: string } {
  const id = Array.from({ length: 20 }, () => BASE62[randomInt(BASE62.length)]).join('');
  const random = randomBytes(32).toString('base64url');
  if (flavour === 'worker') return { accessKey: `wk_${id}`, secret: `wsk_${random}` };
  return { accessKey: `ak_${flavour}_${id}`, secret: `sk_${flavour}_${random}` };
}

/** What may be shown of a secret after its creation. */
export function secretTraces(secret: string): { last4: string; fingerprint: string } {
  return { last4: secret.slice(-4), fingerprint: createHash('sha256').update(secret).digest('hex').slice(0, 8) };
}
