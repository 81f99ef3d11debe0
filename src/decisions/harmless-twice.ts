/** What these create, the database keeps once per clientRequestId. */
const CREATIONS: ReadonlySet<string> = new Set([
  '/openapi/v1/tasks',
  '/openapi/v1/tasks/run',
  '/openapi/v1/jobs',
  '/openapi/v1/events',
]);

/**
 * May a verified request pass while no nonce can be claimed? Reads show nothing new; a submission whose every task has a
 * clientRequestId is deduplicated by the database. Anything else must wait. `body` is the parsed body, null if it is no JSON object.
 */
export function harmlessTwice(method: string, path: string, body: Readonly<Record<string, unknown>> | null): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  if (method !== 'POST' || body === null) return false;
  if (CREATIONS.has(path)) return hasClientRequestId(body);
  if (path === '/openapi/v1/tasks/batch')
    return Array.isArray(body.items) && body.items.length > 0 && body.items.every(hasClientRequestId);
  return false;
}

function hasClientRequestId(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'clientRequestId')) return false;
  const { clientRequestId } = value as { clientRequestId: unknown };
  return typeof clientRequestId === 'string' && clientRequestId !== '';
}
