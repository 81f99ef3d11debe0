import { FIELD_ERROR_CODES } from '@evenkeel/sdk/contract';
import { FIELD_SENTENCES, type FieldRule, said as saidBy } from '../../src/decisions/field-sentences.js';

type Language = 'zh-CN' | 'en';
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
interface Fault {
  pointer: string;
  code: string;
  message: string;
  rule?: string;
  params?: Record<string, string | number>;
}
const { faultText, namedFault } = jest.requireActual<{
  faultText: (fault: Fault, language: Language) => string;
  namedFault: (fault: Fault, language: Language) => string;
}>('../../console/src/lib/field-words');
const { FIELD_RULES_ZH } = jest.requireActual<{ FIELD_RULES_ZH: Record<string, string> }>('../../console/src/i18n/field-rules');
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

  it.each(FIELD_ERROR_CODES)('in Chinese without the sentence of the server: %s', (code) => {
    expect(faultText(said('/somewhere', code), 'zh-CN')).not.toContain('as the server says');
  });

  it('in English by the sentence of the server, in Chinese in general words, where its code is newer than the console', () => {
    expect(faultText(said('/somewhere', 'of_tomorrow'), 'en')).toContain('as the server says');
    expect(faultText(said('/somewhere', 'of_tomorrow'), 'zh-CN')).toBe('不合规');
  });

  const values = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

  it.each(Object.keys(FIELD_SENTENCES) as FieldRule[])('in Chinese by the rule it broke, with its values: %s', (rule) => {
    const sentence = FIELD_SENTENCES[rule];
    const words = FIELD_RULES_ZH[rule] ?? '';
    expect(words).toMatch(CHINESE);
    expect(values(sentence)).toEqual(expect.arrayContaining(values(words)));
    const params = Object.fromEntries(values(sentence).map((name, i) => [name, `v${i}`]));
    const text = faultText({ pointer: '/somewhere', code: 'bad_format', ...saidBy(rule, params) }, 'zh-CN');
    expect(text).toMatch(CHINESE);
    expect(text).not.toMatch(/\{\w+\}/);
  });

  it('by no words for a rule there is none of', () => {
    expect(Object.keys(FIELD_RULES_ZH).sort()).toEqual(Object.keys(FIELD_SENTENCES).sort());
  });

  it.each<[string, FieldRule, Record<string, string | number>, string]>([
    ['/maxRunning', 'range', { min: 0, max: 1_000_000 }, '须在 0 到 1000000 之间'],
    ['/retry/delayMs', 'range', { min: 0, max: 604_800_000 }, '须在 0 毫秒 到 7 天 之间'],
    ['/priority', 'number', { got: 'a string' }, '须为数字，不能是字符串'],
    ['/onShardFailure', 'needs', { other: 'shards' }, '须同时填写 “分片”'],
    [
      '/environment/colour',
      'contrast',
      { reached: 2.1, theme: 'dark', bar: '#141414', least: 3 },
      '与深色主题顶栏（#141414）的对比度只有 2.1:1，两种主题都须达到 3:1',
    ],
    ['/jobs/0', 'role_lacks_there', { permission: 'jobs.edit' }, '您的角色在此分组没有权限：编辑作业'],
  ])('with its values in Chinese: %s %s', (pointer, rule, params, text) => {
    expect(faultText({ pointer, code: 'out_of_range', ...saidBy(rule, params) }, 'zh-CN')).toBe(text);
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
  ])('in English with the reason of the server, where there are several: %s %s', (pointer, code) => {
    expect(namedFault(said(pointer, code), 'en')).toContain('as the server says');
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
