import type { Json } from '../contract/index.js';
import type { StandardSchemaV1 } from './standard-schema.js';

const TARGET = 'draft-2020-12';
/** A larger one would crowd the registration. */
const MOST_BYTES = 16 * 1024;

/**
 * JSON Schema of what a schema takes, if it can tell: by Standard JSON Schema (`~standard.jsonSchema`), or by a method
 * `toJSONSchema` or `toJsonSchema`. undefined if it cannot, or not of this schema.
 */
export function jsonSchemaOf(schema: StandardSchemaV1 | undefined): Json | undefined {
  if (schema === undefined) return undefined;
  try {
    const told = standardOf(schema) ?? methodOf(schema);
    const text = told === undefined ? undefined : JSON.stringify(told);
    if (text === undefined || !text.startsWith('{') || Buffer.byteLength(text) > MOST_BYTES) return undefined;
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // A transformation, say, has no JSON Schema. It is only shown to people, so the worker starts without.
  }
}

function standardOf(schema: StandardSchemaV1): unknown {
  const standard = schema['~standard'] as { jsonSchema?: { input?: (options: { target: string }) => unknown } };
  return standard.jsonSchema?.input?.({ target: TARGET });
}

function methodOf(schema: unknown): unknown {
  const { toJSONSchema, toJsonSchema } = schema as { toJSONSchema?: () => unknown; toJsonSchema?: () => unknown };
  const method = toJSONSchema ?? toJsonSchema;
  return typeof method === 'function' ? method.call(schema) : undefined;
}
