import type { FieldError } from '@evenkeel/sdk/contract';
import { pointerToken } from './field-rules.js';

export type QueryPairs = readonly (readonly [name: string, value: string])[];
/** What a parameter may look like; `many`: may be repeated, as a set. `parse` gives undefined for a value that breaks `rule`. */
export interface Parameter<T> {
  parse: (value: string) => T | undefined;
  rule: string;
  many?: boolean;
}
export type ParameterTable = Record<string, Parameter<unknown>>;
type Parsed<T extends ParameterTable> = {
  [Name in keyof T]?: T[Name] extends Parameter<infer V> ? (T[Name] extends { many: true } ? V[] : V) : never;
};
export type QueryVerdict<T extends ParameterTable> =
  | { ok: true; values: Parsed<T> }
  | { ok: false; repeated: string }
  | { ok: false; errors: FieldError[] };

/** Reads parameters from the signed pairs. Unknown ones are refused and named; a scalar that is repeated has no meaning. */
export function readQuery<T extends ParameterTable>(pairs: QueryPairs, table: T): QueryVerdict<T> {
  const values = new Map<string, unknown>();
  const errors: FieldError[] = [];
  for (const [name, text] of pairs) {
    const pointer = `/query/${pointerToken(name)}`;
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!parameter) {
      errors.push({ pointer, code: 'unknown_field', message: 'is not a parameter of this request' });
      continue;
    }
    if (values.has(name) && !parameter.many) return { ok: false, repeated: name };
    const value = parameter.parse(text);
    if (value === undefined) errors.push({ pointer, code: 'bad_format', message: parameter.rule });
    else if (parameter.many) values.set(name, [...((values.get(name) as unknown[] | undefined) ?? []), value]);
    else values.set(name, value);
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, values: Object.fromEntries(values) as Parsed<T> };
}

/** A whole number in plain digits. */
export const wholeNumber = (min: number, max: number): Parameter<number> => ({
  parse: (value) => (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined),
  rule: `must be a whole number from ${min} to ${max}`,
});
