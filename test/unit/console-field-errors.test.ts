import { FIELD_ERROR_CODES } from '@evenkeel/sdk/contract';

type Language = 'zh-CN' | 'en';
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { faultText, namedFault } = jest.requireActual<{
  faultText: (fault: { pointer: string; code: string; message: string }, language: Language) => string;
  namedFault: (fault: { pointer: string; code: string; message: string }, language: Language) => string;
}>('../../console/src/lib/field-words');
const { notJson } = jest.requireActual<{ notJson: (text: string, t: (key: string, values: object) => string) => string | null }>(
  '../../console/src/lib/json-text',
);
const { translate } = jest.requireActual<{ translate: (language: Language, key: string, values?: object) => string }>(
  '../../console/src/lib/translate',
);

const said = (pointer: string, code: string, message = 'as the server says') => ({ pointer, code, message });
const CHINESE = /[\u4e00-\u9fff]/;

describe('what is wrong with a field is told', () => {
  it.each(FIELD_ERROR_CODES)('in Chinese and in English: %s', (code) => {
    expect(faultText(said('/somewhere', code), 'zh-CN')).toMatch(CHINESE);
    expect(faultText(said('/somewhere', code), 'en')).not.toMatch(CHINESE);
    for (const language of ['zh-CN', 'en'] as const)
      expect(faultText(said('/somewhere', code), language)).not.toMatch(/\{\w+\}|^as the server says$/);
  });

  it('by what the server says, where its code is newer than the console', () => {
    expect(faultText(said('/somewhere', 'of_tomorrow'), 'zh-CN')).toBe('as the server says');
  });

  it.each([
    ['/username', 'bad_format'],
    ['/username', 'not_unique'],
    ['/newPassword', 'bad_format'],
    ['/query/cursor', 'bad_format'],
    ['/schedule/expression', 'never_fires'],
    ['/upstreams/3', 'unknown_job'],
    ['/jobs/0/key', 'bad_format'],
  ])('in Chinese alone, with the name the forms have for it: %s %s', (pointer, code) => {
    const text = namedFault(said(pointer, code), 'zh-CN');
    expect(text).toMatch(/^[^：]*[\u4e00-\u9fff]+[^：]*：/);
    expect(text).not.toMatch(/as the server says|\//);
  });

  it.each([
    ['/jobs/12/group', 'not_allowed'],
    ['/jobs/0/key', 'not_unique'],
  ])('with the reason of the server, where there are several: %s %s', (pointer, code) => {
    for (const language of ['zh-CN', 'en'] as const)
      expect(namedFault(said(pointer, code), language)).toContain('as the server says');
  });

  it('by general words, where a name within other data is one of a field', () => {
    expect(faultText(said('/metadata/username', 'bad_format'), 'en')).toBe('Wrong format: as the server says');
    expect(faultText(said('/username', 'bad_format'), 'en')).not.toContain('as the server says');
  });
});

describe('a text that is not JSON', () => {
  const of = (text: string, language: Language) =>
    notJson(text, (key: string, values: object) => translate(language, key, values));

  it.each([
    ['{bad', 1, 2],
    ['bad', 1, 1],
    ['{\n  "a": 1,\n  b: 2\n}', 3, 3],
    ['[1, 2,]', 1, 7],
  ])('is told by line and column: %j', (text, line, column) => {
    expect(of(text, 'en')).toBe(`Not JSON from line ${line}, column ${column} on`);
    expect(of(text, 'zh-CN')).toBe(`第 ${line} 行第 ${column} 列起不是有效的 JSON`);
  });

  it.each(['', '{"a": ', '[1,\n2'])('is told to be incomplete where it ends too early: %j', (text) => {
    expect(of(text, 'en')).toMatch(/the JSON is not complete$/);
    expect(of(text, 'zh-CN')).toMatch(/JSON 没有写完$/);
  });

  it('is no fault of JSON', () => {
    expect(of(' {"a": [1, "}"]}\n', 'en')).toBeNull();
  });
});
