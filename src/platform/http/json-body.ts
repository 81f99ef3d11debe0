import { isUtf8 } from 'node:buffer';
import { deeperThan, LIMITS } from '@evenkeel/sdk/contract';
import { AppError } from '../errors.js';

export interface JsonBody {
  text: string;
  /** Members named `__proto__` are plain data of the object; nobody may merge or copy them by assignment. */
  value: Record<string, unknown>;
}

/** Reads a body that must be one JSON object in UTF-8 without BOM, nested at most 32 deep. Throws AppError `invalid_json`. */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (deeperThan(text, LIMITS.jsonDepth))
    throw new AppError('invalid_json', `the body is nested deeper than ${LIMITS.jsonDepth} levels`);
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
