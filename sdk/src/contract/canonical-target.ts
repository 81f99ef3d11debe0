/**
 * What is signed under EK1-HMAC-SHA256, without the cryptography: nothing here needs Node, so a browser can show it.
 */
export const EK1_SCHEME = 'EK1-HMAC-SHA256';
export const EK1_HEADERS = {
  accessKey: 'x-ek-access-key',
  timestamp: 'x-ek-timestamp',
  nonce: 'x-ek-nonce',
  signature: 'x-ek-signature',
} as const;
export const EK1_PATTERNS = {
  partnerKey: /^ak_(live|test)_[A-Za-z0-9]{16,32}$/,
  workerKey: /^wk_[A-Za-z0-9]{16,32}$/,
  timestamp: /^[1-9][0-9]{9}$/,
  nonce: /^[A-Za-z0-9_-]{16,64}$/,
  signature: /^v1=[0-9a-f]{64}$/,
} as const;
/** Seconds a timestamp may differ from the verifier's clock, inclusive both ways. */
export const EK1_WINDOW_SECONDS = 300;

const PATH = /^(\/[A-Za-z0-9._~-]+)+$/;
const QUERY = /^[\x21\x22\x24-\x7e]*$/;
const PATH_LIMIT = 512;
const QUERY_LIMIT = 4096;
const PAIR_LIMIT = 64;

/** The request target cannot be signed; `rule` says why in words for the caller. */
export class InvalidTargetError extends Error {
  constructor(readonly rule: string) {
    super(`request target: ${rule}`);
    this.name = 'InvalidTargetError';
  }
}

export interface CanonicalTarget {
  path: string;
  /** Decoded pairs in the order sent: build parameters from these and nothing else. */
  query: [name: string, value: string][];
  canonicalQuery: string;
}

/** Splits and normalises a raw request target as the client addressed it. Throws InvalidTargetError. */
export function canonicalTarget(target: string): CanonicalTarget {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const rawQuery = mark < 0 ? '' : target.slice(mark + 1);
  if (path.length > PATH_LIMIT) throw new InvalidTargetError(`the path is longer than ${PATH_LIMIT} bytes`);
  if (!PATH.test(path)) throw new InvalidTargetError('the path may hold only unreserved characters between single slashes');
  if (/\/\.{1,2}(\/|$)/.test(path)) throw new InvalidTargetError('the path may not hold "." or ".." segments');
  if (rawQuery === '') return { path, query: [], canonicalQuery: '' };
  if (rawQuery.length > QUERY_LIMIT) throw new InvalidTargetError(`the query is longer than ${QUERY_LIMIT} bytes`);
  if (!QUERY.test(rawQuery)) throw new InvalidTargetError('the query may hold only printable ASCII without "#" and blanks');
  const query: [string, string][] = [];
  for (const segment of rawQuery.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = decodeStrictly(equals < 0 ? segment : segment.slice(0, equals));
    if (name === '') throw new InvalidTargetError('a query parameter has an empty name');
    query.push([name, equals < 0 ? '' : decodeStrictly(segment.slice(equals + 1))]);
  }
  if (query.length > PAIR_LIMIT) throw new InvalidTargetError(`the query has more than ${PAIR_LIMIT} parameters`);
  const canonicalQuery = query
    .map(([name, value]) => [encodeUnreserved(name), encodeUnreserved(value)] as const)
    .sort((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return { path, query, canonicalQuery };
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeStrictly(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const spaced = text.replaceAll('+', ' ');
  if (/%(?![0-9A-Fa-f]{2})/.test(spaced)) throw new InvalidTargetError('a percent escape is incomplete');
  const bytes: number[] = [];
  for (let i = 0; i < spaced.length; i++) {
    if (spaced[i] === '%') {
      bytes.push(Number.parseInt(spaced.slice(i + 1, i + 3), 16));
      i += 2;
    } else bytes.push(spaced.charCodeAt(i));
  }
  if (bytes.some((byte) => byte < 0x20 || byte === 0x7f)) throw new InvalidTargetError('a parameter holds a control character');
  try {
    return strictUtf8.decode(Uint8Array.from(bytes));
  } catch {
    throw new InvalidTargetError('a parameter is not valid UTF-8');
  }
}

function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Both sides are ASCII by now, so comparing code units compares bytes. */
function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
