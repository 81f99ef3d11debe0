import { createHash, randomUUID } from 'node:crypto';
import { signedHeaders } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { Installation } from '../support/installation.js';
import { type Node, OpenApiDocument, type Operation } from '../support/openapi-document.js';
import { LOOPBACK_CALLBACKS, Receiver } from '../support/receiver.js';
import { signedRequest } from '../support/signed-request.js';
import { waitFor } from '../support/wait-for.js';

const SEED = 20_260_101;
const GENERATED = 12;
/** What needs nothing but its own request to succeed: their examples must. */
const SELF_SUFFICIENT = [
  ...['submitTask', 'submitBatch', 'runTask', 'listTasks', 'createJob', 'listJobs', 'sendEvent', 'whoAmI'],
  ...['createWebhookEndpoint', 'getWebhookEndpoint', 'changeWebhookEndpoint', 'enableWebhookEndpoint', 'rotateWebhookSecret'],
  ...['testWebhookEndpoint', 'recoverWebhookDeliveries', 'getWebhookDelivery', 'redeliverWebhook', 'disableWebhookEndpoint'],
];
/** Stands for a receiver there is. */
const EXAMPLE_RECEIVER = 'https://hooks.partner.example/evenkeel';
/** Of a parameter or member whose value costs time. */
const SHORT: Record<string, number> = { wait: 1 };
const WRONG: unknown[] = [
  null,
  '',
  'text',
  '\u0000',
  'x'.repeat(300),
  -1,
  0,
  1.5,
  1e308,
  true,
  [],
  [null],
  {},
  { constructor: 1 },
];

interface Sent {
  operation: Operation;
  what: string;
  target: string;
  body?: string;
  headers?: Record<string, string | undefined>;
}

describe('the documented operations on a real node', () => {
  let installation: Installation;
  let url: string;
  let receiver: Receiver;
  let document: OpenApiDocument;
  const seen = new Map<string, Set<number>>();
  /** Ids that answers named, by their prefix. */
  const ids = new Map<string, Set<string>>();
  const failures: string[] = [];
  let sent = 0;

  beforeAll(async () => {
    installation = await Installation.create('embedded', ['default', 'reports']);
    receiver = await Receiver.listen();
    ({ url } = await installation.startNode('n1', LOOPBACK_CALLBACKS));
    await installation.startWorker({ id: 'w1' });
    document = new OpenApiDocument((await (await fetch(`${url}/openapi/v1/openapi.json`)).json()) as Node);
  }, 120_000);
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
  });

  async function send({ operation, what, target, body = '', headers }: Sent): Promise<void> {
    const { accessKey, secret } = installation.appKey;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const parts = { accessKey, timestamp, nonce: randomUUID(), method: operation.method, target, body };
    const stated: Record<string, string | undefined> = {
      ...signedHeaders(parts, secret),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    };
    sent += 1;
    const sentHeaders = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const answer = await fetch(url + target, { method: operation.method, headers: sentHeaders, body: body || undefined });
    const text = await answer.text();
    const json = text === '' ? undefined : JSON.parse(text);
    const complaints = document.complaints(operation, answer.status, answer.headers.get('content-type') ?? '', json);
    if (answer.status >= 500) complaints.push(`answered ${answer.status}`);
    if (!answer.headers.get('x-request-id')) complaints.push('has no X-Request-Id');
    if (answer.status < 300 && !answer.headers.get('ratelimit')) complaints.push('has no RateLimit');
    if (complaints.length > 0)
      failures.push(
        `${operation.id}, ${what}: ${operation.method} ${target} ${body.slice(0, 300)}\n  → ${answer.status} ${text.slice(0, 400)}\n  ${complaints.join('\n  ')}`,
      );
    seen.set(operation.id, (seen.get(operation.id) ?? new Set()).add(answer.status));
    for (const [id, prefix] of text.matchAll(/"([a-z]{2,5})_[0-9A-HJKMNP-TV-Z]{26}"/g))
      ids.set(prefix as string, (ids.get(prefix as string) ?? new Set()).add(id.slice(1, -1)));
  }

  const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number, salt: string): T[] =>
    fc.sample(arbitrary, { numRuns: count, seed: SEED ^ createHash('sha256').update(salt).digest().readInt32BE() });
  const parametersOf = ({ node }: Operation, place: string): Node[] =>
    ((node.parameters ?? []) as Node[])
      .map((parameter) => document.resolve(parameter))
      .filter((parameter) => parameter.in === place);
  const jsonOf = ({ node }: Operation): Node | undefined =>
    node.requestBody && document.resolve(node.requestBody).content['application/json'];

  /** The path with ids that answers named before, the n-th of each kind; malformed ones if `wrong` says so. */
  function pathOf(operation: Operation, n: number, wrong?: string): string {
    return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (wrong !== undefined) return wrong;
      const parameter = parametersOf(operation, 'path').find((candidate) => candidate.name === name);
      const prefix = /^\^([a-z]+)_/.exec(parameter?.schema?.pattern ?? '')?.[1] ?? '';
      const known = [...(ids.get(prefix) ?? [])];
      return known.length > 0 ? (known[n % known.length] as string) : String(parameter?.example ?? 'x');
    });
  }
  const queryText = (pairs: [string, unknown][]): string => {
    const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
    return text ? `?${text}` : '';
  };
  const shortened = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SHORT[name] ?? member]))
      : value;

  /** Requests made of the document alone. */
  function* requestsOf(operation: Operation): Generator<Sent> {
    const request = (what: string, more: Partial<Sent> = {}): Sent => ({
      operation,
      what,
      target: pathOf(operation, 0),
      body: exampleBody,
      ...more,
    });
    const media = jsonOf(operation);
    const schema = media && document.resolve(media.schema);
    const there = (text: string) =>
      operation.id === 'createWebhookEndpoint' ? text.replaceAll(EXAMPLE_RECEIVER, receiver.url('/contract')) : text;
    const examples = Object.entries((media?.examples ?? {}) as Record<string, Node>);
    const exampleBody = examples[0] ? JSON.stringify(examples[0][1].value) : undefined;
    for (const [name, { value }] of examples) yield request(`example ${name}`, { body: there(JSON.stringify(value)) });
    if (examples.length === 0) yield request('as it is');

    const queries = parametersOf(operation, 'query');
    const isShort = (name: string, value: unknown) => (SHORT[name] === undefined ? value : Math.min(Number(value), SHORT[name]));
    const valuesOf = ({ name, schema: given }: Node) =>
      document
        .arbitrary(given.type === 'array' ? given.items : given)
        .map((value): [string, unknown] => [name, isShort(name, value)]);
    if (queries.length > 0)
      for (const pairs of sample(
        fc.tuple(...queries.map((query) => fc.option(valuesOf(query), { freq: 2 }))),
        GENERATED,
        operation.id,
      ))
        yield request('generated query', { target: pathOf(operation, 0) + queryText(pairs.filter((pair) => pair !== null)) });
    for (const query of queries) {
      for (const wrong of ['', 'x', '-1', '999999999999', '2026-01-01', '%', '\'"<>'])
        yield request(`wrong ${query.name}`, { target: pathOf(operation, 0) + queryText([[query.name, wrong]]) });
      yield request(`${query.name} twice`, {
        target:
          pathOf(operation, 0) +
          queryText([
            [query.name, 1],
            [query.name, 2],
          ]),
      });
    }
    yield request('unknown parameter', { target: pathOf(operation, 0) + queryText([['unknown', 'x']]) });
    yield request('undecodable query', { target: pathOf(operation, 0), headers: { 'x-ek-nonce': undefined } });

    if (operation.path.includes('{'))
      for (const wrong of [
        'x',
        'task_0000000000000000000000000A',
        'job_0000000000000000000000000A',
        'constructor',
        '__proto__',
        'a'.repeat(400),
      ])
        yield request('foreign id', { target: pathOf(operation, 0, wrong) });

    if (schema) {
      for (const [n, value] of sample(document.arbitrary(schema), GENERATED, `${operation.id} body`).entries())
        yield request('generated body', { target: pathOf(operation, n), body: JSON.stringify(value) });
      const base = (examples.at(-1)?.[1].value ?? {}) as Node;
      for (const name of Object.keys(schema.properties ?? {}))
        for (const [n, wrong] of WRONG.entries())
          yield request(`wrong ${name}`, {
            target: pathOf(operation, n),
            body: JSON.stringify(shortened({ ...base, [name]: wrong })),
          });
      for (const name of (schema.required ?? []) as string[]) {
        const { [name]: _left, ...rest } = base;
        yield request(`without ${name}`, { body: JSON.stringify(rest) });
      }
      yield request('unknown member', { body: JSON.stringify({ ...base, unknown: 1 }) });
      for (const body of [
        '{',
        '[]',
        'null',
        '"text"',
        `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
        '{"__proto__":{"a":1}}',
        '{"a":1e999}',
        '\ufeff{}',
      ])
        yield request('broken body', { body });
      yield request('no body', { body: '' });
      yield request('too large', { body: JSON.stringify({ ...base, params: 'x'.repeat(256 * 1024) }) });
      yield request('other type', { headers: { 'content-type': 'text/plain' } });
      yield request('compressed', { headers: { 'content-encoding': 'gzip' } });
      yield request('other digest', { headers: { 'content-digest': 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' } });
    }
    yield request('unsigned', { headers: { 'x-ek-signature': undefined } });
    yield request('malformed signature', { headers: { 'x-ek-signature': 'v1=00' } });
    yield request('wrong signature', { headers: { 'x-ek-signature': `v1=${'0'.repeat(64)}` } });
    yield request('old', { headers: { 'x-ek-timestamp': '1767225600' } });
  }

  const endpoints = async (): Promise<{ state: string }[]> =>
    (await signedRequest(url, installation.appKey, 'GET', '/openapi/v1/webhook-endpoints')).body.items;

  /** Makes first what others are about, and last what ends it. */
  const inOrder = (operations: Operation[]): Operation[] => {
    const rank = ({ method, path }: Operation) =>
      method === 'DELETE' ? 4 : path.endsWith('/disable') ? 3 : path.includes('{') ? 2 : method === 'POST' ? 0 : 1;
    return [...operations].sort((a, b) => rank(a) - rank(b));
  };

  it('answer generated requests, right and wrong ones, only as documented, and never with a 5xx', async () => {
    for (const operation of inOrder(document.operations)) {
      const all = [...requestsOf(operation)];
      for (let at = 0; at < all.length; at += 20) await Promise.all(all.slice(at, at + 20).map(send));
      if (operation.id === 'createWebhookEndpoint')
        await waitFor('the endpoint is proven', async () => (await endpoints())[0]?.state === 'ENABLED');
      expect([operation.id, seen.get(operation.id)?.has(401)]).toEqual([operation.id, true]);
      expect([operation.id, [...(seen.get(operation.id) ?? [])].some((status) => status >= 400 && status !== 401)]).toEqual([
        operation.id,
        true,
      ]);
    }
    expect(failures.slice(0, 12).join('\n\n')).toBe('');
  }, 600_000);

  it('were asked hundreds of times, and both did and refused', () => {
    const statuses = new Set([...seen.values()].flatMap((each) => [...each]));
    for (const status of [200, 201, 202, 400, 401, 404, 413, 415, 422]) expect(statuses).toContain(status);
    expect(sent).toBeGreaterThan(500);
  });

  it('succeed with the examples of the document', () => {
    for (const id of SELF_SUFFICIENT) expect([id, [...(seen.get(id) ?? [])].some((status) => status < 300)]).toEqual([id, true]);
    for (const { id } of document.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{')))
      expect([id, seen.get(id)?.has(200)]).toEqual([id, true]);
  });
});
