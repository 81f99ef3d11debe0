import type { Json } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { canonicalJson, requestFingerprint } from '../../src/decisions/fingerprint.js';
import vectors from '../vectors/sign_vectors.json';

describe('the fingerprint of a request', () => {
  it.each(vectors.fingerprint.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    const body = (typeof vector.body === 'string' ? JSON.parse(vector.body) : vector.body) as Record<string, unknown>;
    expect(requestFingerprint('tasks.create', body)).toBe(vector.sha256);
  });

  it('tells null from absent, and a number too large for a double from null', () => {
    const prints = ['{"a":null}', '{}', '{"a":1e400}'].map((text) => requestFingerprint('tasks.create', JSON.parse(text)));
    expect(new Set(prints).size).toBe(3);
  });

  it('counts members named __proto__ and constructor like any other', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1,"constructor":{"b":1,"a":2}}'))).toBe(
      '{"__proto__":1,"constructor":{"a":2,"b":1}}',
    );
    expect(requestFingerprint('x', JSON.parse('{"__proto__":1}'))).not.toBe(requestFingerprint('x', {}));
  });

  it('tells two numbers apart that a double takes for one, and not two spellings of the same', () => {
    const print = (params: string) => requestFingerprint('x', { params: JSON.parse(params) }, params);
    expect(print('{"id":9007199254740993}')).not.toBe(print('{"id":9007199254740992}'));
    expect(print('{"id":9007199254740993}')).toBe(print('{"id":9007199254740993.0}'));
    expect(print('[1e400]')).not.toBe(print('[1e401]'));
    expect(print('{"a":9007199254740993,"b":1}')).toBe(print('{"b":1.0,"a":9007199254740993}'));
    expect(print('{"n":1.50}')).toBe(requestFingerprint('x', { params: { n: 1.5 } }));
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(requestFingerprint('x', reversed)).toBe(requestFingerprint('x', body as Record<string, unknown>));
      }),
    );
  });

  it('writes JSON that parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(JSON.parse(canonicalJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });
});
