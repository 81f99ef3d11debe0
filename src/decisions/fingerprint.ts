import { createHash } from 'node:crypto';
import type { Json } from '@evenkeel/sdk/contract';
import { inexactNumbers } from './params-text.js';

/**
 * RFC 8785 canonical JSON of a parsed value: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A number too large for a double (parsed as Infinity) is written by name, which no JSON text can equal.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}

/** Bumped when the recipe below changes; stored with each fingerprint. */
export const FINGERPRINT_VERSION = 1;

/**
 * Identifies what a client asked for, whatever the order of members or the spelling of numbers, without its clientRequestId.
 * Computed on the client's JSON before defaults: a default that changes between two attempts must not turn a retry into another request.
 * `written` is the JSON text of the member whose numbers may be more than a double holds: two ids that a double takes for one are two.
 * Lower-case hex of 32 bytes.
 */
export function requestFingerprint(operation: string, body: { readonly [member: string]: unknown }, written?: string): string {
  const stated: { [member: string]: Json } = Object.create(null);
  for (const name of Object.keys(body)) if (name !== 'clientRequestId') stated[name] = body[name] as Json;
  const inexact = written === undefined ? [] : inexactNumbers(written);
  return createHash('sha256')
    .update(`fp${FINGERPRINT_VERSION}\n${operation}\n${canonicalJson(stated)}`)
    .update(inexact.length > 0 ? `\n${inexact.join(',')}` : '')
    .digest('hex');
}
