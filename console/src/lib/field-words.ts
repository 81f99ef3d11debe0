import type { FieldError } from '../../../sdk/src/contract/errors';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { CRON_FIELDS_ZH, CRON_RULES_ZH } from '../i18n/cron-rules';
import { FIELD_RULES_ZH } from '../i18n/field-rules';
import { marksShown } from './direction-marks';
import { fieldName, fieldPath } from './field-names';
import type { Language } from './preferences';
import { filled } from './said-words';
import { durationText } from './times';
import { translate } from './translate';

/** A code of the closed list of the contract, or one the server has learnt since. */
type Fault = Pick<FieldError, 'pointer' | 'message' | 'rule' | 'params'> & { code: string };

/**
 * What is wrong with a field, in words. The sentence of the server is English and stands in English only. Direction marks of what was
 * refused are shown.
 */
export const faultText = (fault: Fault, language: Language): string => marksShown(sentenceOf(fault, language));

function sentenceOf(fault: Fault, language: Language): string {
  const { pointer, code, message } = fault;
  const stated = `fieldRule.${fieldPath(pointer)}.${code}`;
  const own = Object.hasOwn(CATALOGUES[language], stated) ? stated : undefined;
  const general = [`fieldError.${code}`, `problem.${code}`].find((each) => Object.hasOwn(CATALOGUES[language], each));
  const rule = language === 'zh-CN' ? (cronRuleText(fault) ?? (own === undefined ? ruleText(fault, language) : null)) : null;
  return rule ?? translate(language, (own ?? general ?? 'fieldError.invalid') as MessageKey, { message });
}

/** A rule of cron says more than the field it stands in, whatever that is said to be wrong with. */
function cronRuleText({ rule, params = {} }: Fault): string | null {
  if (rule === undefined || !Object.hasOwn(CRON_RULES_ZH, rule)) return null;
  const field = CRON_FIELDS_ZH[String(params.field)] ?? params.field;
  return filled(CRON_RULES_ZH[rule] as string, { ...params, field }, 'zh-CN');
}

/** By the name of the rule, in the languages that have words for it. */
function ruleText({ pointer, rule, params = {} }: Fault, language: Language): string | null {
  if (rule === undefined || !Object.hasOwn(FIELD_RULES_ZH, rule)) return null;
  const t = (key: MessageKey, values?: Record<string, string | number>) => translate(language, key, values);
  // The bounds of a length of time are told as such: its form may ask for other units.
  const bounds = pointer.endsWith('Ms')
    ? Object.fromEntries(Object.entries(params).map(([name, ms]) => [name, typeof ms === 'number' ? durationText(ms, t) : ms]))
    : params;
  const other = typeof params.other === 'string' ? fieldName(`/${params.other}`) : null;
  return filled(FIELD_RULES_ZH[rule] as string, { ...bounds, ...(other ? { other: `“${t(other)}”` } : {}) }, language);
}

/** The same with the name of the field in front. */
export function namedFault(fault: Fault, language: Language): string {
  const name = fieldName(fault.pointer);
  const shown = name === null ? fault.pointer : translate(language, name);
  return [shown, faultText(fault, language)].filter(Boolean).join(language === 'en' ? ': ' : '：');
}
