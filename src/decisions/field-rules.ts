import type { FieldError, FieldErrorCode } from '@evenkeel/sdk/contract';
import { asSaid, type Said, said } from './field-sentences.js';
import { instantMs } from './rfc3339.js';
import { isWholeText, wholeText } from './whole-text.js';

/** Collects what is wrong; a caller learns of the first fifty at once instead of one per attempt. */
export class Findings {
  readonly errors: FieldError[] = [];

  add(pointer: string, code: FieldErrorCode, words: Said | string): void {
    if (this.errors.length < 50) this.errors.push({ pointer, code, ...asSaid(words) });
  }
}

export type Rule = (value: unknown, pointer: string, findings: Findings) => void;
export type Rules = ReadonlyMap<string, Rule>;

/** A map and own keys only, so that members named `__proto__` or `constructor` are names like any other. */
export const rules = (table: Record<string, Rule>): Rules => new Map(Object.entries(table));

/** Applies the rule of each member; a member without one is named. */
export function checkMembers(value: object, table: Rules, pointer: string, findings: Findings): void {
  for (const name of Object.keys(value)) {
    const rule = table.get(name);
    const at = `${pointer}/${pointerToken(name)}`;
    if (rule) rule((value as Record<string, unknown>)[name], at, findings);
    else findings.add(at, 'unknown_field', said('unknown_field'));
  }
}

/** RFC 6901 escapes; a long name is cut, it is only quoted back. */
export const pointerToken = (name: string): string => wholeText(name.slice(0, 128)).replaceAll('~', '~0').replaceAll('/', '~1');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON type of a value with its article, as a message names it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export const integer =
  (min: number, max: number): Rule =>
  (value, pointer, findings) => {
    if (typeof value !== 'number') findings.add(pointer, 'wrong_type', said('number', { got: typeOf(value) }));
    else if (!Number.isInteger(value)) findings.add(pointer, 'out_of_range', said('whole'));
    else if (value < min || value > max) findings.add(pointer, 'out_of_range', said('range', { min, max }));
  };

export const decimal =
  (min: number, max: number): Rule =>
  (value, pointer, findings) => {
    if (typeof value !== 'number') findings.add(pointer, 'wrong_type', said('number', { got: typeOf(value) }));
    else if (!(value >= min && value <= max)) findings.add(pointer, 'out_of_range', said('range', { min, max }));
  };

export const flag: Rule = (value, pointer, findings) => {
  if (typeof value !== 'boolean') findings.add(pointer, 'wrong_type', said('true_or_false', { got: typeOf(value) }));
};

export const oneOf =
  (words: readonly string[]): Rule =>
  (value, pointer, findings) => {
    if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
    else if (!words.includes(value)) findings.add(pointer, 'not_allowed', said('choice', { choices: words.join(', ') }));
  };

export const text =
  (maxLength: number, pattern: RegExp, form: Said | string): Rule =>
  (value, pointer, findings) => {
    if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
    else if (value === '') findings.add(pointer, 'bad_format', said('empty'));
    else if (value.length > maxLength) findings.add(pointer, 'too_long', said('length', { max: maxLength }));
    else if (value.includes('\0') || !isWholeText(value)) findings.add(pointer, 'bad_format', said('storable'));
    else if (!pattern.test(value)) findings.add(pointer, 'bad_format', form);
  };

/** Whatever can be stored and sent on as it is. */
export const anyText = (maxLength: number): Rule => text(maxLength, /^/, '');

export const instant: Rule = (value, pointer, findings) => {
  if (typeof value !== 'string') findings.add(pointer, 'wrong_type', said('string', { got: typeOf(value) }));
  else if (instantMs(value) === null) {
    findings.add(pointer, 'bad_format', said('instant_form'));
  }
};
