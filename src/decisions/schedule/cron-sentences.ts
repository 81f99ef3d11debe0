/**
 * What each rule of cron says of an expression that breaks it. A refusal carries the name of its rule and the values in braces, so that
 * the console tells it in other languages: `console/src/i18n/cron-rules.ts` has words for each of these names.
 */
export const CRON_SENTENCES = {
  cron_fields: 'must have 5 fields, 6 beginning with seconds or 7 ending with a year, not {count}',
  cron_quartz_fields: 'a Quartz expression has 6 fields beginning with seconds, or 7 ending with a year, not {count}',
  cron_macro: '"{got}" is not one of {choices}',
  cron_item: '{field}: "{got}" is not an item of a list',
  cron_range: '{field}: "{got}" is not a range',
  cron_backwards: '{field}: the range "{got}" ends before it begins',
  cron_step_form: '{field}: the step "{got}" is not a number',
  cron_step: '{field}: a step must be from 1 to {max}, not "{got}"',
  cron_form: '{field}: "{got}" is not from {min} to {max}',
  cron_name_form: '{field}: "{got}" is not from {min} to {max} or {first} to {last}',
  cron_value: '{field} must be from {min} to {max}, not "{got}"',
  cron_name_value: '{field} must be from {min} to {max} or {first} to {last}, not "{got}"',
  cron_question: '{field}: "?" may only stand alone as the day of month or the day of week',
  cron_nth: '{field}: the number after # must be from 1 to 5, not "{got}"',
  cron_last_weekday: '{field}: "L" needs a day before it, such as FRIL or 5L',
  cron_last_form: '{field}: "{got}" must be L, LW or L-n with n from 0 to 30',
  cron_last: '{field}: n of L-n must be from 0 to 30, not "{got}"',
  cron_quartz_two_open: '{field}: Quartz allows "?" in only one of day of month and day of week',
  cron_quartz_two_days: '{field}: Quartz wants "?" in one of day of month and day of week',
} as const;
export type CronRule = keyof typeof CRON_SENTENCES;
export type CronRuleValues = Record<string, string | number>;

/** A rule of the dialect that an expression breaks. */
export class CronError extends Error {
  constructor(
    readonly code: 'bad_format' | 'out_of_range',
    readonly rule: CronRule,
    readonly params: CronRuleValues,
  ) {
    super(CRON_SENTENCES[rule].replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])));
  }
}

/** A piece of the expression as a message quotes it; a long one is cut. */
export const quoted = (text: string): string => (text.length > 20 ? `${text.slice(0, 20)}…` : text);
