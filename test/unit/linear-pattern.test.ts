import { linearPattern } from '../../src/decisions/linear-pattern.js';

const TEXTS = [
  '',
  'a',
  'ab',
  'aab',
  'abc',
  'ABC',
  'order 12-34',
  'x\ny',
  'timeout after 3000 ms',
  '失败：订单 7',
  'a.b',
  'a|b',
  '😀b',
  ']-^',
];
const PATTERNS = [
  'a',
  '^a',
  'b$',
  '^$',
  '^ab?$',
  'a+b',
  'a*b',
  '(a|x)b',
  '(?:ab|bc)$',
  'a{2}b',
  '^a{1,2}b$',
  'a{2,}',
  '\\d+-\\d+',
  '[^a-z]',
  '[a-c]{3}',
  '[\\d-]+4',
  'a\\.b',
  'a\\|b',
  '[\\]^-]',
  '\\s\\w+\\s',
  '\\D\\W',
  '\\S{5}',
  '订单\\s*\\d',
  'after .* ms',
  'x.y',
  '|a',
  '(^|r )1',
  'a+?b',
  '',
];

describe('a pattern of a search', () => {
  it.each(PATTERNS)('finds what a regular expression finds: %s', (pattern) => {
    const found = linearPattern(pattern);
    const expression = new RegExp(pattern, 'iu');
    for (const text of TEXTS) expect([text, found?.(text)]).toEqual([text, expression.test(text)]);
  });

  it.each([
    '(',
    ')',
    '[',
    '[]',
    'a{3,2}',
    '*a',
    'a**',
    '\\b',
    '\\1',
    '(?=a)',
    '(?<n>a)',
    '\\',
    '[b-a]',
    'a{201}',
    '((a{100}){100})',
    '('.repeat(60),
  ])('is refused where it is none: %s', (pattern) => expect(linearPattern(pattern)).toBeNull());

  it('takes no longer for a text made to keep it busy', () => {
    const text = `${'a'.repeat(100_000)}!`;
    for (const pattern of ['(a+)+$', '^(a|a)*$', '(a*)*b', '(.*a){20}$']) expect(linearPattern(pattern)?.(text)).toBe(false);
  });

  it('forgets what it remembers, not what it looks for', () => {
    const many = Array.from({ length: 30_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000))).join('');
    const found = linearPattern('[^x]{3}end');
    expect(found?.(`${many}end`)).toBe(true);
    expect(found?.(many)).toBe(false);
  });
});
