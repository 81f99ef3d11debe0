import type { FieldError } from '../contract/index.js';
import { isObject } from '../transport/problem.js';

/** A body breaks the protocol; names the field. */
export class FieldRefused extends Error {
  readonly field: FieldError;
  constructor(pointer: string, message: string) {
    super(`${pointer === '' ? '/' : pointer}: ${message}`);
    this.name = 'FieldRefused';
    this.field = { pointer, code: 'invalid', message };
  }
}

const PRINTABLE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function record(value: unknown, pointer: string): Record<string, unknown> {
  if (!isObject(value)) throw new FieldRefused(pointer, 'must be an object');
  return value;
}
export function list(value: unknown, pointer: string): unknown[] {
  if (!Array.isArray(value)) throw new FieldRefused(pointer, 'must be an array');
  return value;
}
export function integer(value: unknown, pointer: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new FieldRefused(pointer, `must be an integer from ${min} to ${max}`);
  }
  return value;
}
export function number(value: unknown, pointer: string, min: number, max: number): number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) {
    throw new FieldRefused(pointer, `must be a number from ${min} to ${max}`);
  }
  return value;
}
export function text(value: unknown, pointer: string, limit: number): string {
  if (typeof value !== 'string' || value === '' || value.length > limit) {
    throw new FieldRefused(pointer, `must be a string of 1 to ${limit} characters`);
  }
  return value;
}
/** Printable ASCII without quote and backslash, so that it can be written into JSON as it is. */
export function id(value: unknown, pointer: string): string {
  if (typeof value !== 'string' || value.length > 64 || !PRINTABLE.test(value)) {
    throw new FieldRefused(pointer, 'must be a string of 1 to 64 printable ASCII characters');
  }
  return value;
}
