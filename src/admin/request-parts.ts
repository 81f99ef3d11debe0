import {
  anyText,
  checkMembers,
  Findings,
  instant,
  pointerToken,
  type Rule,
  type Rules,
  rules,
  typeOf,
} from '../decisions/field-rules.js';
import { said } from '../decisions/field-sentences.js';
import { type Parameter, type ParameterTable, readQuery, wholeNumber } from '../decisions/query-parameters.js';
import { instantMs } from '../decisions/rfc3339.js';
import { AppError } from '../platform/errors.js';
import type { CallerRequest } from '../platform/http/request.js';

export const PAGE = 50;
export const MOST = 200;
const REASON_LENGTH = 500;

export const reasonRule = anyText(REASON_LENGTH);
export const REASON_ONLY: Rules = rules({ reason: reasonRule });
/** Null is allowed, everything else is for the rule. */
export const orNull =
  (rule: Rule): Rule =>
  (value, pointer, findings) => {
    if (value !== null) rule(value, pointer, findings);
  };
export const listOf =
  (rule: Rule, most: number): Rule =>
  (value, pointer, findings) => {
    if (!Array.isArray(value)) findings.add(pointer, 'wrong_type', said('array', { got: typeOf(value) }));
    else if (value.length > most) findings.add(pointer, 'too_many', said('at_most_items', { max: most, what: 'items' }));
    else
      value.forEach((item, index) => {
        rule(item, `${pointer}/${index}`, findings);
      });
  };
export const instantRule = instant;

/** The body, each member checked by its rule. No body is an empty one. Throws AppError `validation_failed`. */
export function bodyOf<T>(request: Pick<CallerRequest<unknown>, 'body'>, table: Rules, required: readonly string[] = []): T {
  const body = (request.body as Record<string, unknown> | undefined) ?? {};
  const findings = new Findings();
  checkMembers(body, table, '', findings);
  for (const name of required) if (!Object.hasOwn(body, name)) findings.add(`/${name}`, 'required', said('required'));
  if (findings.errors.length > 0) throw AppError.fields(findings.errors);
  return body as T;
}

export const words = <W extends string>(list: readonly W[]): Parameter<W> => ({
  parse: (value) => list.find((word) => word === value),
  rule: said('choice', { choices: list.join(', ') }),
});
export const many = <P extends Parameter<unknown>>(parameter: P): P & { many: true } => ({ ...parameter, many: true });
export const shortText = (maxLength: number): Parameter<string> => ({
  parse: (value) => (value.length > 0 && value.length <= maxLength && !value.includes('\0') ? value : undefined),
  rule: said('length_range', { min: 1, max: maxLength }),
});
/** Epoch milliseconds. */
export const instantParameter: Parameter<number> = {
  parse: (value) => instantMs(value) ?? undefined,
  rule: said('instant_form'),
};
/** Which list and order it is of the list itself finds out. */
export const cursorParameter: Parameter<string> = { ...shortText(255), rule: said('cursor') };
export const limitParameter = wholeNumber(1, MOST);
export const REASON_QUERY = { reason: shortText(REASON_LENGTH) };

/** Throws AppError for parameters that are unknown, repeated or malformed. */
export function queryOf<T extends ParameterTable>(request: Pick<CallerRequest<unknown>, 'signedQuery'>, table: T) {
  const verdict = readQuery(request.signedQuery, table);
  if (verdict.ok) return verdict.values;
  if ('repeated' in verdict) {
    throw new AppError('duplicate_parameter', `${verdict.repeated} is repeated`, {
      errors: [{ pointer: `/query/${pointerToken(verdict.repeated)}`, code: 'repeated', message: 'may be given once' }],
    });
  }
  throw AppError.fields(verdict.errors);
}

export const iso = (atMs: number): string => new Date(atMs).toISOString();
export const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : iso(atMs));

/** The page, and the cursor of the next one if there was more than the page holds. */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  idOf: (item: T) => string,
): { page: T[]; nextCursor: string | null } {
  const page = found.slice(0, limit);
  return { page, nextCursor: found.length > limit ? idOf(page.at(-1) as T) : null };
}

export const notFound = (what: string): AppError => new AppError('not_found', `there is no such ${what}, or not in your groups`);

/** Somebody was first: what is in force goes with the refusal, so that whoever asked can look again. */
export const staleChange = (what: string, current: object): AppError =>
  new AppError('version_conflict', `${what} was changed in the meantime: look at it again`, { members: { current } });
