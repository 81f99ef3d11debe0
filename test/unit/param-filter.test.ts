import fc from 'fast-check';
import { holdsParams, isParamText, keysOfPath, paramFilters, tracesOf } from '../../src/decisions/param-filter.js';

const holds = (params: string | null, path: string, text: string) => holdsParams(params, paramFilters([{ path, text }]));

describe('the path of a param', () => {
  it.each<[string, string[] | undefined]>([
    ['orderId', ['orderId']],
    ['order.lines.0', ['order', 'lines', '0']],
    ['a\\.b.c', ['a.b', 'c']],
    ['a\\\\.b', ['a\\', 'b']],
    ['a\\ b\\:c', ['a b:c']],
    ['', ['']],
    ['.a.', ['', 'a', '']],
    ['q"uo%te', ['q"uo%te']],
    ['__proto__.constructor', ['__proto__', 'constructor']],
    ['订单.😀', ['订单', '😀']],
    ['a\n.b', ['a\n', 'b']],
    ['a\\', undefined],
    ['a\0', undefined],
    ['\ud800', undefined],
    ['x'.repeat(256), undefined],
  ])('%j', (path, keys) => {
    expect(keysOfPath(path)).toEqual(keys);
  });
});

describe('a param', () => {
  it.each<[string, string, string, boolean]>([
    ['{"id":9007199254740993}', 'id', '9007199254740993', true],
    ['{"id":9007199254740993}', 'id', '9007199254740992', false],
    ['{"id":1e400}', 'id', '1e400', true],
    ['{"id":1e400}', 'id', 'Infinity', false],
    ['{"id":1.0}', 'id', '1', false],
    ['{"id":-0}', 'id', '-0', true],
    ['{"id":123}', 'id', '123', true],
    ['{"id":"123"}', 'id', '123', true],
    ['{"id":"123"}', 'id', '"123"', false],
    ['{"id":1234}', 'id', '123', false],
    ['{"id":true}', 'id', 'true', true],
    ['{"id":null}', 'id', 'null', true],
    ['{}', 'id', 'null', false],
    ['null', 'id', 'null', false],
    ['{"id":""}', 'id', '', true],
    ['{"id":{}}', 'id', '{}', false],
    ['{"id":[1]}', 'id', '[1]', false],
    ['{"id":[1]}', 'id', '1', false],
    ['{"":1}', '', '1', true],
    ['{"a.b":1}', 'a\\.b', '1', true],
    ['{"a.b":1}', 'a.b', '1', false],
    ['{"a":{"b":1}}', 'a.b', '1', true],
    ['{"a":{"b":1}}', 'b', '1', false],
    ['{"x":{"a":2},"a":1}', 'a', '1', true],
    ['{"x":"\\"a\\":1","a":2}', 'a', '1', false],
    ['{"a":[{"b":5},[6,7]]}', 'a.1.1', '7', true],
    ['{"a":[{"b":5},[6,7]]}', 'a.0.b', '5', true],
    ['{"a":[5]}', 'a.00', '5', false],
    ['{"a":[5]}', 'a.1', '5', false],
    ['{"a":[]}', 'a.0', '', false],
    ['{"a":{"0":5}}', 'a.0', '5', true],
    ['[[1,2],3]', '0.1', '2', true],
    ['{"a":1,"a":2}', 'a', '1', false],
    ['{"a":1,"a":2}', 'a', '2', true],
    ['{"\\u0061":"\\u0031\\n"}', 'a', '1\n', true],
    ['{"a":"say \\"hi\\""}', 'a', 'say "hi"', true],
    ['{"a":"\\/"}', 'a', '/', true],
    [' { "a" :\n 1 , "b" : [ 2 , 3 ] } ', 'b.1', '3', true],
    ['{"__proto__":1}', '__proto__', '1', true],
    ['{}', '__proto__', 'null', false],
    ['"text"', '', 'text', false],
  ])('in %s at %j is %j: %s', (params, path, text, verdict) => {
    expect(holds(params, path, text)).toBe(verdict);
  });

  it('is not there where nothing is stored', () => {
    expect(holds(null, 'a', 'null')).toBe(false);
  });

  it('may be one of several at one path, and one of each at several paths', () => {
    const filters = paramFilters([
      { path: 'a', text: '1' },
      { path: '\\a', text: '2' },
      { path: 'b', text: 'x' },
    ]);
    expect(filters).toEqual([
      { path: ['a'], texts: ['1', '2'] },
      { path: ['b'], texts: ['x'] },
    ]);
    expect(
      ['{"a":1,"b":"x"}', '{"a":"2","b":"x"}', '{"a":3,"b":"x"}', '{"a":1}'].map((text) => holdsParams(text, filters)),
    ).toEqual([true, true, false, false]);
    expect(() => paramFilters([{ path: 'a\\', text: '1' }])).toThrow(TypeError);
  });

  it('is found wherever it is in whatever JSON, and its traces are in the text unless it is escaped', () => {
    const path = (keys: string[]) => keys.map((key) => key.replace(/[.\\]/g, '\\$&')).join('.');
    const deep = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
        fc.string(),
        deep,
        (keys, text, beside) => {
          fc.pre(keysOfPath(path(keys)) !== undefined && isParamText(text));
          let value: unknown = text;
          for (const key of [...keys].reverse())
            value = Object.fromEntries([
              [`${key}'`, beside],
              [key, value],
            ]);
          const params = JSON.stringify(value);
          expect(holds(params, path(keys), text)).toBe(true);
          expect(holds(params, path([...keys, 'x']), text)).toBe(false);
          const [filter] = paramFilters([{ path: path(keys), text }]);
          const { keys: traces, texts } = tracesOf(filter as never);
          expect(params.includes('\\') || [...traces, ...texts].every((trace) => params.includes(trace))).toBe(true);
        },
      ),
    );
  });
});
