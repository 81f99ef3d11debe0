import { EK1_WINDOW_SECONDS, LIMITS } from '@evenkeel/sdk/contract';

/** The prose of the document: what holds for every operation. */
export const DESCRIPTION = `
Submit work, get an id at once, learn the outcome by query. Every request is signed; every failure is \`application/problem+json\`.

## Signing
Send four headers: \`X-EK-Access-Key\`, \`X-EK-Timestamp\` (unix seconds, within ${EK1_WINDOW_SECONDS} s of our clock), \`X-EK-Nonce\` (16 to 64 of
A–Z a–z 0–9 _ -, fresh for each HTTP attempt) and \`X-EK-Signature\`: \`v1=\` and the lower-case hex of HMAC-SHA256, keyed with the secret exactly as
displayed, over these eight lines joined by line feeds, without one at the end:

1. \`EK1-HMAC-SHA256\`
2. the access key
3. the timestamp
4. the nonce
5. the method in upper case
6. the path as you call it
7. the canonical query: each name and value percent-decoded (\`+\` is a space), encoded again with only A–Z a–z 0–9 - . _ ~ literal, sorted by name
   and value, joined as \`name=value\` with \`&\`; an empty line if there is none
8. the lower-case hex SHA-256 of the body bytes (of nothing, if there is no body)

You may send \`Content-Digest: sha-256=:<base64>:\` (RFC 9530) as well: \`content_digest_mismatch\` then says that a proxy changed the body, where the
signature alone could only fail.

## Repeating a request
On a timeout, a 5xx or \`nonce_reused\`, sign again with a new nonce and the same \`clientRequestId\`. Ids are per app; members may change their order and
numbers their spelling. The same id with other parameters is \`idempotency_key_reused\`. An id is taken as long as its task, event or job is kept: 30 days
after the task's end or the job's deletion, unless agreed otherwise. After that it makes a new one.

## Limits
Token buckets per access key, and of the same size for all keys of an app together: requests (20 per second, 40 at once) and task creations (200 per
second, 1000 at once), unless agreed otherwise; \`GET /me\` tells yours. A request costs the tasks it makes: a batch its items, an event what it fires,
one at least; work with \`shards\` one for each shard (a broadcast one), a retry of it those that did not succeed. Never more than you may create at
once; but a batch of more items than that is \`batch_too_large\`. A repetition costs one; what a job fires by its schedule costs nothing. What is
left is in \`RateLimit\`; a 429 says in \`Retry-After\` when to come again, and costs nothing. Bodies up to ${LIMITS.partnerBodyBytes} bytes, batches
${LIMITS.partnerBatchBytes}; \`params\` ${LIMITS.paramsBytes}.

## Callbacks
The end of a task is told to its \`callbackUrl\` and to every endpoint that subscribed: signed as Standard Webhooks 1.0.0, at least once, under the
same \`webhook-id\` and with the same bytes until a 2xx is answered; eleven attempts over three days, none follows a redirect. Verify over the raw
bytes (\`webhook-signature\`, tolerance 300 s), deduplicate on \`webhook-id\` for at least four days, and fetch the task if in doubt. An access
key's secret signs as the text it is; a callback secret is base64 behind \`whsec_\`, and its **decoded** bytes sign. Callbacks go to public https on
port 443, on hosts your operator set for the app.

## Lists
Newest first, 50 a page unless \`limit\` (up to ${LIMITS.listPage}) says otherwise. Pass \`nextCursor\` as \`cursor\` with the same filters; it is null on the last page.
A parameter that may be repeated is a set.

## Groups
A key may be restricted to some of its app's groups: what is in the others looks like none to it. Where an app may use a group no more it still sees
and stops what it has there; everything else there is \`insufficient_scope\`.

## Versions
The version is in the path. Fields may be added to answers; ignore what you do not know. Unknown fields in requests are refused.
`.trim();
