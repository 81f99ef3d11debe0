import { LIMITS } from '@evenkeel/sdk/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.js';

export const HEADER_BYTES = 16 * 1024;
const QUERY_BYTES = 4096;
/** A file of 16 MB as a JSON string. */
const IMPORT_BYTES = 24 * 1024 * 1024;

/** Largest body each part of the face reads, by path; the longest prefix wins. */
export function bodyLimitOf(url: string): number {
  if (url === '/openapi/v1/tasks/batch') return LIMITS.partnerBatchBytes;
  if (url === '/api/import' || url === '/api/import/convert') return IMPORT_BYTES;
  if (url.startsWith('/worker/')) return LIMITS.channelBodyBytes;
  if (url.startsWith('/openapi')) return LIMITS.partnerBodyBytes;
  return LIMITS.channelBodyBytes;
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const BODYLESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** Refuses by its head what would be refused anyway, before a byte of the body is read. Throws AppError. */
export function checkHead(request: FastifyRequest): void {
  const { headers, raw } = request;
  const target = raw.url ?? '';
  const mark = target.indexOf('?');
  if (mark >= 0 && target.length - mark - 1 > QUERY_BYTES) {
    throw new AppError('uri_too_long', `the query is longer than ${QUERY_BYTES} bytes`);
  }
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new AppError('invalid_request_target', 'the Host header is missing');
  }
  if (isRepeated(raw.rawHeaders, 'host')) throw new AppError('invalid_request_target', 'the Host header is sent more than once');
  if (target.startsWith('/openapi')) refuseSecrets(headers);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_content_encoding', 'Content-Encoding is not accepted: send the body as it is');
  }
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    // Only the last coding is taken off, so what would be signed and parsed is not what the client encoded.
    throw new AppError('unsupported_content_encoding', 'Transfer-Encoding may only be chunked: send the body as it is', {
      headers: { connection: 'close' },
    });
  }
  const hasBody = transfer !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return;
  if (BODYLESS.has(request.method)) {
    throw new AppError('body_not_allowed', `${request.method} takes no body`, { headers: { connection: 'close' } });
  }
  if (!JSON_TYPE.test(headers['content-type'] ?? '') || isRepeated(raw.rawHeaders, 'content-type')) {
    throw new AppError('unsupported_media_type', 'Content-Type must be application/json, in UTF-8, sent once', {
      headers: { connection: 'close' },
    });
  }
}

/** Of such headers Node keeps the first; a proxy in front may have gone by another. `header` in lower case. */
function isRepeated(rawHeaders: readonly string[], header: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === header.length && name.toLowerCase() === header) count += 1;
  }
  return count > 1;
}

/** A secret signs and never travels: whoever sends one learns it before it becomes a habit. Its value is not looked at. */
function refuseSecrets(headers: FastifyRequest['headers']): void {
  const name = Object.keys(headers).find((header) => /secret|^x-ek-sk$/.test(header));
  if (name)
    throw new AppError('auth_malformed', 'a header is named like a secret: the secret signs the request and is never sent');
}
