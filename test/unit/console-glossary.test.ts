import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Texts = Record<string, string>;
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { CATALOGUES } = jest.requireActual<{ CATALOGUES: { 'zh-CN': Texts } }>('../../console/src/i18n/areas');
const { VARIABLES_ZH } = jest.requireActual<{ VARIABLES_ZH: Texts }>('../../console/src/i18n/variables');

const table = readFileSync(join(__dirname, '..', '..', 'docs', 'console-words.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .slice(1);
/** A loser, and what makes another word of it: 操作人（员） refuses 操作人 and lets 操作人员 be. */
const losers = table
  .flatMap(([, , , losing = '']) => (losing === '—' ? [] : losing.split('、')))
  .map((word) => word.match(/^([^（]+)(?:（(.+)）)?$/) ?? [])
  .map(([, word = '', unless]) => ({ word, rule: new RegExp(unless === undefined ? word : `${word}(?!${unless})`) }));

const chinese = Object.entries({ ...CATALOGUES['zh-CN'], ...VARIABLES_ZH });
const using = (rule: RegExp) => chinese.filter(([, text]) => rule.test(text)).map(([key, text]) => `${key}: ${text}`);

describe('a thing has one name in Chinese', () => {
  it('by a table that can be read', () => {
    expect(losers.length).toBeGreaterThan(20);
    expect(losers.every(({ word }) => /^\p{Script=Han}+$/u.test(word))).toBe(true);
  });

  it.each(losers)('$word is not used', ({ rule }) => {
    expect(using(rule)).toEqual([]);
  });

  it('a node is said to be one that runs tasks or one of the centre', () => {
    expect(using(/(?<!执行|调度|本)节点/)).toEqual([]);
  });
});
