import { checkSchedule } from '../../src/decisions/schedule/check-schedule.js';
import type { CronDialect } from '../../src/decisions/schedule/cron-expression.js';
import { CRON_SENTENCES } from '../../src/decisions/schedule/cron-sentences.js';

/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { faultText } = jest.requireActual<{ faultText: (fault: object, language: 'zh-CN' | 'en') => string }>(
  '../../console/src/lib/field-words',
);
const { CRON_RULES_ZH } = jest.requireActual<{ CRON_RULES_ZH: Record<string, string> }>('../../console/src/i18n/cron-rules');

function refusal(expression: string, cronDialect: CronDialect = 'unix') {
  const verdict = checkSchedule({ kind: 'cron', expression, timeZone: 'UTC', cronDialect }, { pointer: '/schedule' });
  const [error] = verdict.ok ? [] : verdict.errors;
  if (!error) throw new Error(`${expression} is accepted`);
  return error;
}

describe('why a cron expression is refused', () => {
  it.each<[string, CronDialect, string, string, string]>([
    ['1 2 3', 'unix', 'cron_fields', '应有 5 个字段，以秒开头时 6 个，再以年结尾时 7 个；现在有 3 个', 'must have 5 fields'],
    [
      '',
      'unix',
      'cron_fields',
      '应有 5 个字段，以秒开头时 6 个，再以年结尾时 7 个；现在有 0 个',
      'or 7 ending with a year, not 0',
    ],
    ['  ', 'quartz', 'cron_quartz_fields', '以年结尾时 7 个；现在有 0 个', 'or 7 ending with a year, not 0'],
    [
      '0 9 * * 2',
      'quartz',
      'cron_quartz_fields',
      'Quartz 表达式应有 6 个字段（以秒开头），以年结尾时 7 个；现在有 5 个',
      'a Quartz expression has 6',
    ],
    ['@reboot', 'unix', 'cron_macro', '没有“@reboot”这种简写，只有 @yearly', 'is not one of @yearly'],
    ['1,,2 * * * *', 'unix', 'cron_item', '“分”字段：列表中的“”写法不对', 'is not an item of a list'],
    ['1-2-3 * * * *', 'unix', 'cron_range', '“分”字段：“1-2-3”不是一个范围', 'is not a range'],
    ['0 0 0 1 1 * 2030-2020', 'unix', 'cron_backwards', '“年”字段：范围“2030-2020”的终点早于起点', 'ends before it begins'],
    ['*/x * * * *', 'unix', 'cron_step_form', '“分”字段：步长“X”不是数字', 'is not a number'],
    ['*/60 * * * *', 'unix', 'cron_step', '“分”字段：步长须为 1 至 59，不能是“60”', 'a step must be from 1 to 59'],
    ['0 MON * * *', 'unix', 'cron_form', '“时”字段：须为 0 至 23，不能是“MON”', 'is not from 0 to 23'],
    ['0 0 * JANFEB *', 'unix', 'cron_name_form', '“月”字段：须为 1 至 12 或 JAN 至 DEC，不能是“JANFEB”', 'JAN to DEC'],
    ['61 * * * *', 'unix', 'cron_value', '“分”字段：须为 0 至 59，不能是“61”', 'minute must be from 0 to 59'],
    [
      '0 0 9 ? * 8',
      'quartz',
      'cron_name_value',
      '“周”字段：须为 1 至 7 或 SUN 至 SAT，不能是“8”',
      'day of week must be from 1 to 7',
    ],
    ['? * * * *', 'unix', 'cron_question', '“分”字段：“?”只能单独用作“日”或“周”字段', 'may only stand alone'],
    ['0 0 * * 5#6', 'unix', 'cron_nth', '“周”字段：# 之后须为 1 至 5，不能是“6”', 'the number after #'],
    ['0 0 * * L', 'unix', 'cron_last_weekday', '“周”字段：“L”之前须写明是哪一天，例如 FRIL 或 5L', 'needs a day before it'],
    [
      '0 0 L-3W * *',
      'unix',
      'cron_last_form',
      '“日”字段：须为 L、LW 或 L-n（n 为 0 至 30），不能是“L-3W”',
      'must be L, LW or L-n',
    ],
    ['0 0 L-31 * *', 'unix', 'cron_last', '“日”字段：L-n 中的 n 须为 0 至 30，不能是“31”', 'n of L-n'],
    ['0 0 9 ? * ?', 'quartz', 'cron_quartz_two_open', 'Quartz 的“日”与“周”字段只能有一个是“?”', 'allows "?" in only one'],
    ['0 0 9 1 * 2', 'quartz', 'cron_quartz_two_days', 'Quartz 的“日”与“周”字段须有一个是“?”', 'wants "?" in one of'],
  ])('%s (%s) is told by the rule %s, with its values', (expression, dialect, rule, zh, en) => {
    const error = refusal(expression, dialect);
    expect(error.rule).toBe(rule);
    expect(faultText(error, 'zh-CN')).toContain(zh);
    expect(faultText(error, 'en')).toContain(en);
  });

  it('has words for every rule and for no other, and in them no value the refusal does not carry', () => {
    expect(Object.keys(CRON_RULES_ZH).sort()).toEqual(Object.keys(CRON_SENTENCES).sort());
    const values = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [rule, sentence] of Object.entries(CRON_SENTENCES))
      expect(values(sentence)).toEqual(expect.arrayContaining(values(CRON_RULES_ZH[rule] as string)));
  });

  it('is told in Chinese without English where the rule is not known', () => {
    const { rule: _, params: __, ...error } = refusal('61 * * * *');
    expect(faultText(error, 'zh-CN')).toBe('cron 表达式中有超出范围的值');
  });
});
