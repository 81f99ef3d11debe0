import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.js';

export interface JsonBody {
  text: string;
  /** Members named `__proto__` are plain data of the object; nobody may merge or copy them by assignment. */
  value: Record<string, unknown>;
}

const DEPTH_LIMIT = 32;

/** Reads a body that must be one JSON object in UTF-8 without BOM, nested at most 32 deep. Throws AppError `invalid_json`. */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (deeperThan(text, DEPTH_LIMIT)) throw new AppError('invalid_json', `the body is nested deeper than ${DEPTH_LIMIT} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', text === '' ? 'the body is empty: send a JSON object' : 'the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_json', 'the body must be a JSON object');
  }
  return { text, value: value as Record<string, unknown> };
}

/** Counts before parsing, so that a hostile body never builds a deep structure. Brackets inside strings do not count. */
function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
