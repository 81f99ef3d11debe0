/**
 * What each rule of cron says, in Chinese; in English the server says it (`src/decisions/schedule/cron-sentences.ts`), with the same
 * values in braces.
 */
export const CRON_RULES_ZH: Readonly<Record<string, string>> = {
  cron_fields: '应有 5 个字段，以秒开头时 6 个，再以年结尾时 7 个；现在有 {count} 个',
  cron_quartz_fields: 'Quartz 表达式应有 6 个字段（以秒开头），以年结尾时 7 个；现在有 {count} 个',
  cron_macro: '没有“{got}”这种简写，只有 {choices}',
  cron_item: '“{field}”字段：列表中的“{got}”写法不对',
  cron_range: '“{field}”字段：“{got}”不是一个范围',
  cron_backwards: '“{field}”字段：范围“{got}”的终点早于起点',
  cron_step_form: '“{field}”字段：步长“{got}”不是数字',
  cron_step: '“{field}”字段：步长须为 1 至 {max}，不能是“{got}”',
  cron_form: '“{field}”字段：须为 {min} 至 {max}，不能是“{got}”',
  cron_name_form: '“{field}”字段：须为 {min} 至 {max} 或 {first} 至 {last}，不能是“{got}”',
  cron_value: '“{field}”字段：须为 {min} 至 {max}，不能是“{got}”',
  cron_name_value: '“{field}”字段：须为 {min} 至 {max} 或 {first} 至 {last}，不能是“{got}”',
  cron_question: '“{field}”字段：“?”只能单独用作“日”或“周”字段',
  cron_nth: '“{field}”字段：# 之后须为 1 至 5，不能是“{got}”',
  cron_last_weekday: '“{field}”字段：“L”之前须写明是哪一天，例如 FRIL 或 5L',
  cron_last_form: '“{field}”字段：须为 L、LW 或 L-n（n 为 0 至 30），不能是“{got}”',
  cron_last: '“{field}”字段：L-n 中的 n 须为 0 至 30，不能是“{got}”',
  cron_quartz_two_open: 'Quartz 的“日”与“周”字段只能有一个是“?”',
  cron_quartz_two_days: 'Quartz 的“日”与“周”字段须有一个是“?”',
};

/** Fields by the names the server has for them. */
export const CRON_FIELDS_ZH: Readonly<Record<string, string>> = {
  second: '秒',
  minute: '分',
  hour: '时',
  'day of month': '日',
  month: '月',
  'day of week': '周',
  year: '年',
};
