import { LIMITS } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { checkSubmission, RETRY_BOUNDS } from '../../src/decisions/check-submission.js';

const nowMs = Date.parse('2026-03-01T00:00:00Z');
const check = (body: unknown, over: Partial<Parameters<typeof checkSubmission>[1]> = {}) =>
  checkSubmission(body, { nowMs, clientRequestIdRequired: false, pointer: '', ...over });
/** `pointer code` of each finding. */
const findings = (body: unknown, over = {}) => {
  const verdict = check(body, over);
  return verdict.ok ? [] : verdict.errors.map(({ pointer, code }) => `${pointer} ${code}`);
};
const with_ = (fields: object) => ({ handler: 'echo', ...fields });
const deep = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('a submission is accepted', () => {
  it.each([
    ['with nothing but a handler', {}],
    ['with any JSON as params', { params: ['\u0000', '😀', null, { __proto__: 1 }] }],
    [
      'with every field',
      { params: {}, group: 'reports', delayMs: 0, priority: 10, timeoutMs: 0, repeatable: false, routing: 'random' },
    ],
    ['with a zone in runAt', { runAt: '2026-03-01T08:00:00.123+08:00' }],
    ['with a past runAt', { runAt: '1999-01-01t00:00:00z' }],
    ['with no retry', { retry: { kind: 'none' } }],
    ['with fixed retries', { retry: { kind: 'fixed', maxRetries: 0, delayMs: 0 } }],
    [
      'with growing retries',
      { retry: { kind: 'exponential', maxRetries: 5, delayMs: 1, factor: 1.5, maxDelayMs: 9, jitter: 0.5 } },
    ],
    ['with listed retries', { retry: { kind: 'list', delaysMs: [1, 2, 3] } }],
    ['with shards', { shards: 2 }],
    ['with the most shards', { shards: LIMITS.shardsMax, onShardFailure: 'stop' }],
    ['as a broadcast', { shards: 'broadcast', onShardFailure: 'continue' }],
    ['with metadata', { metadata: { 'a/b': 'é', 键: '' } }],
    ['with the longest clientRequestId', { clientRequestId: 'a'.repeat(64) }],
    ['at the latest instant', { runAt: new Date(nowMs + LIMITS.maxDelayMs).toISOString() }],
  ])('%s', (_what, fields) => {
    expect(findings(with_(fields))).toEqual([]);
  });

  it.each(['echo', 'a b', '报表:生成', 'send-mail@v2', 'x'.repeat(255), '🙂'])('by the handler name %s', (handler) => {
    expect(findings({ handler })).toEqual([]);
  });
});

describe('a submission is refused', () => {
  it.each([
    ['no handler', { handler: undefined }, '/handler wrong_type'],
    ['a number as handler', { handler: 5 }, '/handler wrong_type'],
    ['an empty handler', { handler: '' }, '/handler bad_format'],
    ['a handler of 256', { handler: 'x'.repeat(256) }, '/handler too_long'],
    ['NUL in the handler', { handler: 'a\u0000b' }, '/handler bad_format'],
    ['a line break in the handler', { handler: 'a\nb' }, '/handler bad_format'],
    ['a blank at the end of the handler', { handler: 'a ' }, '/handler bad_format'],
    ['a hidden character in the handler', { handler: 'a\u200bb' }, '/handler bad_format'],
    ['half a surrogate pair in the handler', { handler: 'a\ud800' }, '/handler bad_format'],
    ['a group with NUL', { group: 'a\u0000' }, '/group bad_format'],
    ['one shard', { shards: 1 }, '/shards out_of_range'],
    ['too many shards', { shards: LIMITS.shardsMax + 1 }, '/shards out_of_range'],
    ['half a shard', { shards: 2.5 }, '/shards out_of_range'],
    ['shards as text', { shards: '4' }, '/shards not_allowed'],
    ['null shards', { shards: null }, '/shards wrong_type'],
    ['onShardFailure without shards', { onShardFailure: 'stop' }, '/onShardFailure excluded'],
    ['an unknown onShardFailure', { shards: 2, onShardFailure: 'retry' }, '/onShardFailure not_allowed'],
    ['both runAt and delayMs', { runAt: '2026-03-01T00:00:00Z', delayMs: 1 }, '/delayMs excluded'],
    ['a local runAt', { runAt: '2026-03-01T00:00:00' }, '/runAt bad_format'],
    ['30 February', { runAt: '2026-02-30T00:00:00Z' }, '/runAt bad_format'],
    ['a number as runAt', { runAt: 1767225600000 }, '/runAt wrong_type'],
    ['runAt beyond a year', { runAt: '2028-01-01T00:00:00Z' }, '/runAt out_of_range'],
    ['a string as delayMs', { delayMs: '5' }, '/delayMs wrong_type'],
    ['null as delayMs', { delayMs: null }, '/delayMs wrong_type'],
    ['a negative delay', { delayMs: -1 }, '/delayMs out_of_range'],
    ['half a millisecond', { delayMs: 0.5 }, '/delayMs out_of_range'],
    ['delay beyond a year', { delayMs: LIMITS.maxDelayMs + 1 }, '/delayMs out_of_range'],
    ['endless delay', deep('{"delayMs":1e400}'), '/delayMs out_of_range'],
    ['priority 0', { priority: 0 }, '/priority out_of_range'],
    ['priority 11', { priority: 11 }, '/priority out_of_range'],
    ['priority as text', { priority: '5' }, '/priority wrong_type'],
    ['negative timeout', { timeoutMs: -1 }, '/timeoutMs out_of_range'],
    ['a list as retry', { retry: [] }, '/retry wrong_type'],
    ['an unknown kind of retry', { retry: { kind: 'often' } }, '/retry/kind not_allowed'],
    ['retry of kind constructor', { retry: { kind: 'constructor' } }, '/retry/kind not_allowed'],
    ['a retry without its delay', { retry: { kind: 'fixed', maxRetries: 1 } }, '/retry/delayMs required'],
    ['a foreign member of retry', { retry: { kind: 'none', delayMs: 1 } }, '/retry/delayMs unknown_field'],
    [
      'too many retries',
      { retry: { kind: 'fixed', maxRetries: RETRY_BOUNDS.maxRetries + 1, delayMs: 1 } },
      '/retry/maxRetries out_of_range',
    ],
    ['an empty list of delays', { retry: { kind: 'list', delaysMs: [] } }, '/retry/delaysMs too_many'],
    ['a text among the delays', { retry: { kind: 'list', delaysMs: [1, '2'] } }, '/retry/delaysMs/1 wrong_type'],
    [
      'a factor below 1',
      { retry: { kind: 'exponential', maxRetries: 1, delayMs: 1, factor: 0.5 } },
      '/retry/factor out_of_range',
    ],
    ['jitter above 1', { retry: { kind: 'exponential', maxRetries: 1, delayMs: 1, jitter: 2 } }, '/retry/jitter out_of_range'],
    ['a word as repeatable', { repeatable: 'no' }, '/repeatable wrong_type'],
    ['an unknown routing', { routing: 'fastest' }, '/routing not_allowed'],
    ['a number in metadata', { metadata: { n: 1 } }, '/metadata/n wrong_type'],
    [
      '17 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      '/metadata too_many',
    ],
    ['NUL in a name of metadata', { metadata: { 'a\u0000': '' } }, '/metadata/a\u0000 bad_format'],
    ['half a surrogate pair in a name of metadata', { metadata: { 'a\ud800': '' } }, '/metadata/a\ufffd bad_format'],
    ['NUL in metadata', { metadata: { ok: 'b', a: 'b\u0000' } }, '/metadata/a bad_format'],
    ['half a surrogate pair in metadata', { metadata: { a: '\ude00\ud83d' } }, '/metadata/a bad_format'],
    ['half a surrogate pair in a routingKey', { routingKey: 'a\ud83d' }, '/routingKey bad_format'],
    ['NUL in a tag', { workerTags: ['gpu', 'a\u0000'] }, '/workerTags/1 bad_format'],
    ['NUL in a callbackUrl', { callbackUrl: 'https://hooks.partner.com/\u0000' }, '/callbackUrl bad_format'],
    ['a clientRequestId with a blank', { clientRequestId: 'a b' }, '/clientRequestId bad_format'],
    ['a clientRequestId of 65', { clientRequestId: 'a'.repeat(65) }, '/clientRequestId too_long'],
    ['an unknown field', { parms: {} }, '/parms unknown_field'],
    ['a field named with a slash', { 'a/b~': 1 }, '/a~1b~0 unknown_field'],
    ['__proto__', deep('{"__proto__":{"handler":"x"}}'), '/__proto__ unknown_field'],
    ['constructor', { constructor: 1 }, '/constructor unknown_field'],
    ['params over 64 KiB', { params: 'x'.repeat(65 * 1024) }, '/params too_large'],
    ['params over 64 KiB in UTF-8 only', { params: '你'.repeat(22_000) }, '/params too_large'],
  ])('for %s, named with its pointer', (_what, fields, expected) => {
    const body = { handler: 'echo' };
    for (const name of Object.keys(fields)) {
      Object.defineProperty(body, name, { value: (fields as Record<string, unknown>)[name], enumerable: true });
    }
    expect(findings(body)).toEqual([expected]);
  });

  it.each([null, [], 'x', 5])('when it is %j', (body) => {
    expect(findings(body, { pointer: '/items/3' })).toEqual(['/items/3 wrong_type']);
  });

  it('in a batch without a clientRequestId', () => {
    expect(findings(with_({}), { clientRequestIdRequired: true, pointer: '/items/0' })).toEqual([
      '/items/0/clientRequestId required',
    ]);
  });

  it('with every broken rule at once', () => {
    expect(findings({ priority: '1', delayMs: -1, x: 1 })).toEqual([
      '/priority wrong_type',
      '/delayMs out_of_range',
      '/x unknown_field',
      '/handler required',
    ]);
  });
});

it('accepts any JSON as params and renders it for storage', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (params) => {
      expect(check({ handler: 'echo', params })).toMatchObject({ ok: true, params: JSON.stringify(params) });
    }),
  );
});

it('never throws, whatever JSON it is given', () => {
  const field = fc.constantFrom(
    'handler',
    'params',
    'runAt',
    'delayMs',
    'retry',
    'metadata',
    'clientRequestId',
    'priority',
    '__proto__',
  );
  fc.assert(fc.property(fc.dictionary(field, fc.jsonValue()), (body) => typeof check(body).ok === 'boolean'));
});

it('counts params that keep their own text by that text', () => {
  expect(findings(with_({ params: 1 }), { paramsText: '1'.repeat(65 * 1024 + 1) })).toEqual(['/params too_large']);
  expect(check(with_({ params: 1 }), { paramsText: '1.0' })).toMatchObject({ ok: true, params: '1.0' });
});
