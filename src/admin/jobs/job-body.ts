import type { FieldError, FieldErrorCode } from '@evenkeel/sdk/contract';
import type { JobVerdict } from '../../decisions/check-job.js';
import { type Said, said } from '../../decisions/field-sentences.js';
import type { JobDefinition } from '../../decisions/job-definition.js';
import { AppError } from '../../platform/errors.js';

/**
 * The body with `params` parsed for the checks, and their text as it was written for the store. `own` are members of the console
 * that a definition does not have. Throws AppError.
 */
export function definitionBody(
  body: Record<string, unknown>,
  own: readonly string[],
): { stated: Record<string, unknown>; paramsText: string | undefined } {
  const stated = { ...body };
  for (const name of [...own, 'paramsText']) delete stated[name];
  if (Object.hasOwn(stated, 'params')) throw broken('/params', 'unknown_field', said('params_as_text'));
  const { paramsText } = body;
  if (paramsText === undefined) return { stated, paramsText: undefined };
  stated.params = parsedParams(paramsText);
  return { stated, paramsText: paramsText as string };
}

/** Throws AppError unless it is the text of a JSON value. */
export function parsedParams(paramsText: unknown): unknown {
  if (typeof paramsText !== 'string') throw broken('/paramsText', 'wrong_type', said('json_text'));
  try {
    return JSON.parse(paramsText);
  } catch {
    throw broken('/paramsText', 'bad_format', said('json_text'));
  }
}

/** The definition; throws AppError with every rule that is broken, params under the name they are sent by. */
export function admitted(verdict: JobVerdict): JobDefinition {
  if (verdict.ok) return verdict.definition;
  throw AppError.fields(renamed(verdict.errors));
}

export const renamed = (errors: readonly FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/params(?=\/|$)/, '/paramsText') }));

const broken = (pointer: string, code: FieldErrorCode, words: Said): AppError => AppError.fields([{ pointer, code, ...words }]);
