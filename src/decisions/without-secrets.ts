import { isDeepStrictEqual } from 'node:util';

const MASKED = '***';
const SECRET = /pass(word|wd)?$|secret|token|authori[sz]ation|credential|private.?key/i;
const DEPTH_LIMIT = 32;

/** A copy in which the values of members that are named like secrets are masked, however deep they stand. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_LIMIT) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET.test(name) && member !== null ? MASKED : withoutSecrets(member, depth + 1),
    ]),
  );
}

/** The same of JSON text: as it is, digit for digit, unless something in it is masked. Text that is not JSON is masked whole. */
export function textWithoutSecrets(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const masked = withoutSecrets(value);
    return isDeepStrictEqual(value, masked) ? json : JSON.stringify(masked);
  } catch {
    return MASKED;
  }
}
