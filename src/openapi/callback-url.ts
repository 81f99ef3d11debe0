import type { CallbackPolicy } from '../callbacks/callback-policy.js';
import { AppError } from '../platform/errors.js';

/** Throws AppError `callback_url_not_allowed` with the rule a stated URL breaks. Asks no name server: nothing is told about addresses. */
export function refuseCallbackUrl(
  policy: CallbackPolicy,
  appId: number,
  url: string | null | undefined,
  pointer = '',
  field = 'callbackUrl',
): void {
  if (url === null || url === undefined) return;
  const code = policy.refusalOf(appId, url);
  if (code === null) return;
  throw new AppError('callback_url_not_allowed', `${pointer}/${field}: ${code}`, {
    errors: [{ pointer: `${pointer}/${field}`, code, message: 'is not a URL this app may have its callbacks sent to' }],
  });
}
