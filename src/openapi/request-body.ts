import { pointerToken } from '../decisions/field-rules.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';

/** The verified body of a request that must have one. Throws AppError `invalid_json`. */
export function requireBody(request: PartnerRequest): { body: Record<string, unknown>; text: string } {
  if (request.bodyText === undefined) throw new AppError('invalid_json', 'the body is missing: send a JSON object');
  return { body: request.body as Record<string, unknown>, text: request.bodyText };
}

/** For actions that take no parameters: no body, or an empty object. */
export function refuseMembers(request: PartnerRequest): void {
  const names = Object.keys((request.body as Record<string, unknown> | undefined) ?? {});
  if (names.length === 0) return;
  throw AppError.fields(
    names
      .slice(0, 50)
      .map((name) => ({ pointer: `/${pointerToken(name)}`, code: 'unknown_field', message: 'is not a field of this request' })),
  );
}
