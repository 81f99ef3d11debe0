import { JsonText, jsonTextOf, withExactNumbers } from '../../src/decisions/json-text.js';
import { wholeJson } from '../../src/decisions/whole-text.js';

describe('the numbers of what a body carries', () => {
  const parsed = (text: string) =>
    withExactNumbers(JSON.parse(text).results as { result?: unknown }[], text, 'results', 'result');

  it('keep their digits where parsing would change them, and nothing else is touched', () => {
    const items = parsed('{"results":[{"result":{"id":9007199254740993}},{"result":[1,2]},{"result":"9007199254740993 "},{}]}');
    expect(items.map(({ result }) => jsonTextOf(result))).toEqual([
      '{"id":9007199254740993}',
      '[1,2]',
      '"9007199254740993 "',
      'null',
    ]);
    expect(items[1]?.result).toEqual([1, 2]);
  });

  it.each(['9007199254740993', '1.10', '1e5', '-2E-3', '-0', '0.12345678901234567', '100.0', '1e400'])(
    'are kept for %s',
    (number) => {
      for (const value of [number, `[1, ${number}]`, `{"n" :\n${number}}`]) {
        const [, item] = parsed(`{"results":[{"result":"1.10"}, {"result": ${value} , "endedAt":1796053831458}]}`);
        expect(jsonTextOf(item?.result)).toBe(value.replace(/\s/g, ''));
      }
    },
  );

  it('cost nothing where only an id looks like one that may change', () => {
    const items = [{ result: { n: 1.5 } }];
    const text = '{"results":[{"taskId":"task_01M8E5P0","result":{"n":1.5},"lease":2,"endedAt":1796053831458}]}';
    expect(withExactNumbers(items, text, 'results', 'result')).toBe(items);
  });

  it('are not looked for where there can be none', () => {
    const items = [{ result: 'text' }, { result: null }];
    expect(withExactNumbers(items, '{"results":[{"result":1.10},{}]}', 'results', 'result')).toBe(items);
    expect(withExactNumbers([{ result: 1 }], undefined, 'results', 'result')).toEqual([{ result: 1 }]);
  });

  it('cannot be forged: what looks like kept text in a request is data', () => {
    const [item] = parsed('{"results":[{"result":{"text":"[","n":1.10}}]}');
    expect(item?.result).toBeInstanceOf(JsonText);
    expect(jsonTextOf(item?.result)).toBe('{"text":"[","n":1.10}');
    expect(jsonTextOf({ text: '[' })).toBe('{"text":"["}');
  });
});

describe('halves of surrogate pairs in JSON text', () => {
  it.each([
    ['"\\ud83d"', '"\ufffd"'],
    ['"\\uDE00 and \\uD83D"', '"\ufffd and \ufffd"'],
    ['"\\ud83d\\ud83d\\ude00\\ude00"', '"\ufffd\\ud83d\\ude00\ufffd"'],
    ['{"\\udfff":[1.10,"\\\\\\udbff"]}', '{"\ufffd":[1.10,"\\\\\ufffd"]}'],
    ['"a backslash \\\\ud83d, \\u00e4, \\ud7ff, \\ue000, 😀"', null],
  ])('%s are replaced, and nothing else is', (text, whole) => {
    expect(wholeJson(text)).toBe(whole ?? text);
    expect(JSON.stringify(JSON.parse(wholeJson(text)))).not.toMatch(/[^\\]\\ud[89a-f]/);
  });
});
