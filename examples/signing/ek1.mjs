// EK1 for Node 18 and newer, no dependency.
//   import { request } from './ek1.mjs'; or: node ek1.mjs GET /openapi/v1/me
// Needs EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const encode = (text) =>
  encodeURIComponent(decodeURIComponent(text.replaceAll('+', ' '))).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Pairs encoded, then sorted by name and value. */
export function canonicalQuery(query) {
  return query
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [encode(pair), ''] : [encode(pair.slice(0, at)), encode(pair.slice(at + 1))];
    })
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map((pair) => pair.join('='))
    .join('&');
}

/** The four headers of a request. `target` is path and query, `body` the exact text that is sent. */
export function sign({ accessKey, secret, method, target, body = '', timestamp, nonce }) {
  const mark = target.indexOf('?');
  const at = timestamp ?? String(Math.floor(Date.now() / 1000));
  const once = nonce ?? randomUUID();
  const canonical = [
    'EK1-HMAC-SHA256',
    accessKey,
    at,
    once,
    method,
    mark < 0 ? target : target.slice(0, mark),
    mark < 0 ? '' : canonicalQuery(target.slice(mark + 1)),
    createHash('sha256').update(body).digest('hex'),
  ].join('\n');
  return {
    'X-EK-Access-Key': accessKey,
    'X-EK-Timestamp': at,
    'X-EK-Nonce': once,
    'X-EK-Signature': `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`,
  };
}

const fromEnvironment = () => ({
  accessKey: process.env.EVENKEEL_ACCESS_KEY,
  secret: process.env.EVENKEEL_SECRET_KEY,
  timestamp: process.env.EK1_TIMESTAMP,
  nonce: process.env.EK1_NONCE,
});

/** Signs and sends; `body` is JSON text, serialised once and sent as it was signed. */
export async function request(method, target, body = '') {
  const headers = sign({ ...fromEnvironment(), method, target, body });
  if (body) headers['Content-Type'] = 'application/json';
  const answer = await fetch(process.env.EVENKEEL_URL + target, { method, headers, body: body || undefined });
  return { status: answer.status, text: await answer.text() };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [method, target, body = ''] = process.argv.slice(2);
  if (process.env.EK1_PRINT) console.log(sign({ ...fromEnvironment(), method, target, body })['X-EK-Signature']);
  else console.log((await request(method, target, body)).text);
}
