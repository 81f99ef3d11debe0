type Language = 'zh-CN' | 'en';
type Translate = (key: string, values?: object) => string;
/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { durationText, shareText } = jest.requireActual<{
  durationText: (ms: number, t: Translate) => string;
  shareText: (part: number) => string;
}>('../../console/src/lib/times');
const { translate } = jest.requireActual<{ translate: (language: Language, key: string, values?: object) => string }>(
  '../../console/src/lib/translate',
);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a length of time is told as people say it', () => {
  const told = (ms: number, language: Language) => durationText(ms, (key, values) => translate(language, key, values));

  it.each([
    [0, '0 ms', '0 毫秒'],
    [0.44, '0.4 ms', '0.4 毫秒'],
    [9.96, '10 ms', '10 毫秒'],
    [350, '350 ms', '350 毫秒'],
    [999.7, '1 s', '1 秒'],
    [3_240, '3.2 s', '3.2 秒'],
    [9_970, '10 s', '10 秒'],
    [42_400, '42 s', '42 秒'],
    [59_700, '1 min', '1 分钟'],
    [5 * MINUTE, '5 min', '5 分钟'],
    [4 * MINUTE + 5 * SECOND, '4 min 5 s', '4 分 5 秒'],
    [HOUR - 1, '59 min 59 s', '59 分 59 秒'],
    [2 * HOUR + 3 * MINUTE, '2 h 3 min', '2 小时 3 分'],
    [12 * HOUR, '12 h', '12 小时'],
    [3 * DAY + 4 * HOUR, '3 d 4 h', '3 天 4 小时'],
    [30 * DAY, '30 d', '30 天'],
    [-1_500, '-1.5 s', '-1.5 秒'],
  ])('%d ms', (ms, english, chinese) => {
    expect(told(ms, 'en')).toBe(english);
    expect(told(ms, 'zh-CN')).toBe(chinese);
  });

  it('unless it is none', () => {
    expect(told(Number.NaN, 'en')).toBe('–');
  });
});

describe('a part of a whole is told in percent', () => {
  it.each([
    [0, '0%'],
    [0.0001, '0.1%'],
    [0.046, '4.6%'],
    [0.1, '10%'],
    [2 / 3, '67%'],
    [0.9, '90%'],
    [0.996, '99.6%'],
    [0.99999, '99.9%'],
    [1, '100%'],
    [1.5, '150%'],
  ])('%d', (part, text) => {
    expect(shareText(part)).toBe(text);
  });
});
