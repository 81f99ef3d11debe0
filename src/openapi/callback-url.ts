import type { CallbackPolicy } from '../callbacks/callback-policy.js';
import { AppError } from '../platform/errors.js';

/** The refusal `callback_url_not_allowed` with the rule a stated URL breaks, or null. Asks no name server: nothing is told about addresses. */
export function callbackUrlRefusal(
  policy: CallbackPolicy,
  appId: number,
  url: string | null | undefined,
  pointer = '',
  field = 'callbackUrl',
): AppError | null {
  if (url === null || url === undefined) return null;
  const code = policy.refusalOf(appId, url);
  if (code === null) return null;
  return new AppError('callback_url_not_allowed', `${pointer}/${field}: ${code}`, {
    errors: [{ pointer: `${pointer}/${field}`, code, message: 'is not a URL this app may have its callbacks sent to' }],
  });
}

/** Throws that refusal. */
export function refuseCallbackUrl(...stated: Parameters<typeof callbackUrlRefusal>): void {
  const refusal = callbackUrlRefusal(...stated);
  if (refusal) throw refusal;
}
