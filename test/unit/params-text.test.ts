import fc from 'fast-check';
import { inexactNumbers, itemParamsTexts, mayLoseNumbers, paramsTextOf } from '../../src/decisions/params-text.js';

describe('the text of params', () => {
  it.each([
    ['{"params":12345678901234567890}', '12345678901234567890'],
    [
      '{ "handler" : "a,}]" , "params" : { "id" : 9007199254740993 , "s" : " a \\" b " } }',
      '{"id":9007199254740993,"s":" a \\" b "}',
    ],
    ['{"params":1,"params":[1.10, -0]}', '[1.10,-0]'],
    ['{"p\\u0061rams":1e400}', '1e400'],
    ['{"x":{"params":1}}', undefined],
    ['{"params":""}', '""'],
    ['{"params":"\\\\"}', '"\\\\"'],
    ['\n{}', undefined],
  ])('%s', (text, params) => {
    expect(paramsTextOf(text)).toBe(params);
  });

  it('is found for each item of a batch, in order', () => {
    const text = '{"items" : [ {"params":1e2}, 7, {"a":[{"params":5}]}, {"params" : {"n":1.0} } ] }';
    expect(itemParamsTexts(text)).toEqual(['1e2', undefined, undefined, '{"n":1.0}']);
    expect(itemParamsTexts('{"items":[]}')).toEqual([]);
    expect(itemParamsTexts('{"items":3}')).toEqual([]);
  });

  it.each(['12345678901234567', '0.12345678901234567', '1e5', '2E-3', '-0', '9007199254740993', '1.0', '2.50'])(
    'is kept for %s',
    (number) => {
      expect(mayLoseNumbers(`{"params":${number}}`)).toBe(true);
    },
  );

  it('need not be kept where numbers survive', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 999_999 }), (whole, fraction) => {
        const text = `{"params":[${whole},0.${fraction}]}`;
        if (!mayLoseNumbers(text)) expect(JSON.parse(text).params).toEqual([whole, Number(`0.${fraction}`)]);
      }),
    );
    expect(mayLoseNumbers('{"handler":"echo","params":{"a":[1,2.5,-3]}}')).toBe(false);
  });

  it('names the numbers no double holds, in one spelling, and no others', () => {
    const text = '{"id":9007199254740993,"more":[9007199254740993000e-3,1.10,-0,1e400,0.1,"9007199254740993",9007199254740992]}';
    expect(inexactNumbers(text)).toEqual(['1e400', '9007199254740993e0', '9007199254740993e0']);
    expect(inexactNumbers('{"a":[1,2.5,"12345678901234567890"]}')).toEqual([]);
    expect(inexactNumbers('[0.12345678901234567890123,1e-400,-12345678901234567890]')).toEqual([
      '-1234567890123456789e1',
      '12345678901234567890123e-23',
      '1e-400',
    ]);
  });

  it('equals what JSON prints, for any value between other members', () => {
    const name = fc.string().filter((text) => text !== 'params');
    fc.assert(
      fc.property(name, fc.jsonValue(), fc.jsonValue(), fc.constantFrom(0, 1, 2), (other, before, params, indent) => {
        const members = `${JSON.stringify(other)}:${JSON.stringify(before)},"params":${JSON.stringify(params, null, indent)}`;
        expect(paramsTextOf(`{${members},${JSON.stringify(`${other}z`.replace(/^params$/, 'q'))}:1}`)).toBe(
          JSON.stringify(params),
        );
      }),
    );
  });
});
