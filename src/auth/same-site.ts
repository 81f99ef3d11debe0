import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.js';

const SAFE = new Set(['GET', 'HEAD']);

/**
 * Lets a request that may change something through only if no other site made the browser send it. Browsers state where it comes
 * from: in Sec-Fetch-Site, or, without https, in Origin. Who states neither is no browser, and holds no cookie but its own.
 *
 * @throws AppError `cross_site_request`
 */
export function checkSameSite(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (SAFE.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  const { origin } = request.headers;
  if (site === undefined && (origin === undefined || isOurs(origin, request, publicOrigin))) return;
  throw new AppError('cross_site_request', 'another site made this request: only the console itself may change anything');
}

function isOurs(origin: string, request: FastifyRequest, publicOrigin: string | undefined): boolean {
  if (origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}
