import type { FieldError } from '@evenkeel/sdk/contract';
import { pointerToken } from './field-rules.js';
import { asSaid, type Said, said } from './field-sentences.js';

export type QueryPairs = readonly (readonly [name: string, value: string])[];
/**
 * What a parameter may look like; `many`: may be repeated, as a set. `parse` gives undefined for a value that breaks `rule`.
 * With a `prefix` it stands for all parameters whose names begin so, and `parse` is given the rest of the name too.
 */
export interface Parameter<T> {
  parse: (value: string, rest: string) => T | undefined;
  rule: Said | string;
  many?: boolean;
  prefix?: string;
  /** How many there may be, if it is `many`. */
  most?: number;
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
    const [key, parameter] = entryOf(table, name);
    if (!parameter) {
      errors.push({ pointer, code: 'unknown_field', ...said('unknown_parameter') });
      continue;
    }
    if (values.has(key) && !parameter.many) return { ok: false, repeated: name };
    const value = parameter.parse(text, name.slice(parameter.prefix?.length ?? name.length));
    const before = (values.get(key) as unknown[] | undefined) ?? [];
    if (value === undefined) errors.push({ pointer, code: 'bad_format', ...asSaid(parameter.rule) });
    else if (!parameter.many) values.set(key, value);
    else if (parameter.most !== undefined && before.length >= parameter.most)
      errors.push({ pointer, code: 'too_many', ...said('one_too_many', { max: parameter.most }) });
    else values.set(key, [...before, value]);
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, values: Object.fromEntries(values) as Parsed<T> };
}

function entryOf(table: ParameterTable, name: string): [key: string, parameter: Parameter<unknown> | undefined] {
  const own = Object.hasOwn(table, name) ? table[name] : undefined;
  if (own && own.prefix === undefined) return [name, own];
  const family = Object.entries(table).find(([, { prefix }]) => prefix !== undefined && name.startsWith(prefix));
  return family ?? [name, undefined];
}

/** A whole number in plain digits. */
export const wholeNumber = (min: number, max: number): Parameter<number> => ({
  parse: (value) => (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined),
  rule: said('whole_range', { min, max }),
});
