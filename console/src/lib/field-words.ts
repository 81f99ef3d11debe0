import type { FieldError } from '../../../sdk/src/contract/errors';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { fieldName, fieldPath } from './field-names';
import type { Language } from './preferences';
import { translate } from './translate';

/** A code of the closed list of the contract, or one the server has learnt since. */
type Fault = Pick<FieldError, 'pointer' | 'message'> & { code: string };

/** What is wrong with a field, in words; what the server says of it where its code is newer than the console. */
export function faultText({ pointer, code, message }: Fault, language: Language): string {
  const keys = [`fieldRule.${fieldPath(pointer)}.${code}`, `fieldError.${code}`];
  const key = keys.find((each) => Object.hasOwn(CATALOGUES[language], each));
  return key === undefined ? message : translate(language, key as MessageKey, { message });
}

/** The same with the name of the field in front. */
export function namedFault(fault: Fault, language: Language): string {
  const name = fieldName(fault.pointer);
  const shown = name === null ? fault.pointer : translate(language, name);
  return [shown, faultText(fault, language)].filter(Boolean).join(language === 'en' ? ': ' : '：');
}
