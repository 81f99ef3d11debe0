// A receiver of callbacks with nothing but Node: verifies the signature on the raw bytes, refuses what is old, and takes each
// event once. Run it beside `npm run quickstart`, then submit a task with its URL:
//   node examples/webhook-receiver.mjs
//   npx evenkeel submit echo --callback-url http://127.0.0.1:8787/
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const TOLERANCE_SECONDS = 300;
const MOST_BYTES = 64 * 1024;
const port = Number(process.env.PORT_OF_RECEIVER ?? 8787);
const secret = process.env.WEBHOOK_SECRET ?? quickstartSecret();
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
/** Keep these at least four days, where they survive a restart. */
const seen = new Set();

createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const id = request.headers['webhook-id'];
    if (!isGenuine(id, request.headers['webhook-timestamp'], request.headers['webhook-signature'], body)) {
      response.writeHead(401).end();
      return;
    }
    const event = JSON.parse(body.toString('utf8'));
    if (event.type === 'endpoint.verification') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge: event.data.challenge }));
      return;
    }
    // Answer at once; do the work afterwards.
    response.writeHead(204).end();
    if (seen.has(id)) return;
    seen.add(id);
    console.log(event.type, event.data.taskId ?? '', JSON.stringify(event.data.result ?? event.data.error ?? null));
  });
}).listen(port, '127.0.0.1', function () {
  console.log(`receiving on http://127.0.0.1:${this.address().port}/`);
});

function isGenuine(id, timestamp, signatures, body) {
  if (typeof id !== 'string' || typeof signatures !== 'string' || !/^\d{10}$/.test(timestamp ?? '')) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((each) => {
    const [version, encoded = ''] = each.split(',');
    const given = Buffer.from(encoded, 'base64');
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function quickstartSecret() {
  const path = join(process.env.DATA_DIR ?? './data', 'quickstart.json');
  return JSON.parse(readFileSync(path, 'utf8')).app.callbackSecret;
}
