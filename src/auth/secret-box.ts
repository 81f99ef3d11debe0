import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The keys that wrap data keys. `current` wraps new ones, `get` knows every key still in use. */
export abstract class Keyring {
  abstract readonly current: { id: string; key: Buffer };
  abstract get(id: string): Buffer | undefined;
  /** Of every key it knows. */
  get ids(): readonly string[] {
    return [this.current.id];
  }
}

/** Whose secret it is: authenticated with the ciphertext, so that a box copied to another row does not open. */
export interface SecretOwner {
  purpose: 'access-key' | 'webhook';
  /** Database id of the app; null for keys of workers. */
  appId: number | null;
  accessKey: string;
}

/** The box does not open: another row's, another key's, damaged, or wrapped by a key that is no longer known. */
export class SecretBoxError extends Error {
  constructor(
    readonly reason: 'malformed' | 'unknown_kek' | 'not_authentic',
    /** Id of the key that wraps it, where that is what is not known. */
    readonly kekId?: string,
  ) {
    super(`secret box: ${reason}`);
    this.name = 'SecretBoxError';
  }
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const WRAPPED_BYTES = IV_BYTES + KEY_BYTES + TAG_BYTES;
const BOX = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/**
 * Envelope encryption: a fresh data key encrypts the secret, the current key of the ring wraps the data key.
 * `v1.<kek id>.<base64url of iv | wrapped data key | tag | iv | ciphertext | tag>`, ASCII, ≤ 512 characters for secrets ≤ 200 bytes.
 */
export function sealSecret(secret: string, owner: SecretOwner, keyring: Keyring): string {
  const dataKey = randomBytes(KEY_BYTES);
  const aad = additionalData(owner);
  return box(keyring.current.id, encrypt(keyring.current.key, dataKey, aad), encrypt(dataKey, Buffer.from(secret, 'utf8'), aad));
}

/** The secret in plain text. Throws SecretBoxError. */
export function openSecret(sealed: string, owner: SecretOwner, keyring: Keyring): string {
  const { wrapped, content, kekId } = parts(sealed);
  const aad = additionalData(owner);
  return decrypt(unwrap(wrapped, kekId, aad, keyring), content, aad).toString('utf8');
}

/** The same secret with its data key wrapped by the current key: what a rotation of keys does to every row. */
export function rewrapSecret(sealed: string, owner: SecretOwner, keyring: Keyring): string {
  const { wrapped, content, kekId } = parts(sealed);
  const aad = additionalData(owner);
  const dataKey = unwrap(wrapped, kekId, aad, keyring);
  return box(keyring.current.id, encrypt(keyring.current.key, dataKey, aad), content);
}

/** Throws unless the ring can seal and open with a current key of 32 bytes. Called before anything is served. */
export function checkKeyring(keyring: Keyring): void {
  const { id, key } = keyring.current;
  if (key.length !== KEY_BYTES) throw new Error(`the current key-encryption key must have ${KEY_BYTES} bytes`);
  if (!BOX.test(`v1.${id}.x`)) throw new Error('a key-encryption key id must be 1 to 32 letters, digits, "_" or "-"');
  const owner: SecretOwner = { purpose: 'access-key', appId: null, accessKey: 'self-test' };
  if (openSecret(sealSecret('self-test', owner, keyring), owner, keyring) !== 'self-test')
    throw new Error('the keyring does not open what it seals');
}

function additionalData({ purpose, appId, accessKey }: SecretOwner): Buffer {
  return Buffer.from(`ek-secret|v1|${purpose}|${appId ?? '-'}|${accessKey}`, 'utf8');
}

function box(kekId: string, wrapped: Buffer, content: Buffer): string {
  return `v1.${kekId}.${Buffer.concat([wrapped, content]).toString('base64url')}`;
}

function parts(sealed: string): { kekId: string; wrapped: Buffer; content: Buffer } {
  const match = BOX.exec(sealed);
  const bytes = Buffer.from(match?.[2] ?? '', 'base64url');
  if (!match || bytes.length < WRAPPED_BYTES + IV_BYTES + TAG_BYTES) throw new SecretBoxError('malformed');
  return { kekId: match[1] as string, wrapped: bytes.subarray(0, WRAPPED_BYTES), content: bytes.subarray(WRAPPED_BYTES) };
}

function unwrap(wrapped: Buffer, kekId: string, aad: Buffer, keyring: Keyring): Buffer {
  const kek = keyring.get(kekId);
  if (!kek) throw new SecretBoxError('unknown_kek', kekId);
  return decrypt(kek, wrapped, aad);
}

function encrypt(key: Buffer, plain: Buffer, aad: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(aad);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** `authTagLength` is not optional: without it Node accepts tags cut to four bytes. */
function decrypt(key: Buffer, sealed: Buffer, aad: Buffer): Buffer {
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES }).setAAD(aad);
  decipher.setAuthTag(sealed.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, tagAt)), decipher.final()]);
  } catch {
    throw new SecretBoxError('not_authentic');
  }
}
