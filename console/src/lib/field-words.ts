import type { FieldError } from '../../../sdk/src/contract/errors';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { FIELD_RULES_ZH } from '../i18n/field-rules';
import { fieldName, fieldPath } from './field-names';
import type { Language } from './preferences';
import { filled } from './said-words';
import { durationText } from './times';
import { translate } from './translate';

/** A code of the closed list of the contract, or one the server has learnt since. */
type Fault = Pick<FieldError, 'pointer' | 'message' | 'rule' | 'params'> & { code: string };

/** What is wrong with a field, in words. The sentence of the server is English and stands in English only. */
export function faultText(fault: Fault, language: Language): string {
  const { pointer, code, message } = fault;
  const stated = `fieldRule.${fieldPath(pointer)}.${code}`;
  const own = Object.hasOwn(CATALOGUES[language], stated) ? stated : undefined;
  const general = [`fieldError.${code}`, `problem.${code}`].find((each) => Object.hasOwn(CATALOGUES[language], each));
  const rule = language === 'zh-CN' && own === undefined ? ruleText(fault, language) : null;
  return rule ?? translate(language, (own ?? general ?? 'fieldError.invalid') as MessageKey, { message });
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
