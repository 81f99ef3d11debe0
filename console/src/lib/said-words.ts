import { CATALOGUES, type MessageKey } from '../i18n/areas';
import type { Language } from './preferences';
import { durationText } from './times';
import { translate } from './translate';

/** Codes among the values of a sentence, by the name of the value, and the part of the catalogue that has words for them. */
const PREFIXES: Readonly<Record<string, string>> = {
  got: 'jsonType',
  of: 'kindsOf',
  wanted: 'kindsOf',
  theme: 'theme',
  state: 'state',
  bulkState: 'bulkState',
  keyState: 'keys.state',
  endpointState: 'endpoint',
  permission: 'permission',
};

/** The sentence with its values, each as people say it: codes by their words, lengths of time with their unit. */
export function filled(sentence: string, values: Readonly<Record<string, unknown>>, language: Language): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined || value === null) return whole;
    if (Array.isArray(value)) return value.join(' → ');
    if (typeof value === 'number' && name.endsWith('Ms'))
      return durationText(value, (key, more) => translate(language, key, more));
    const key = `${PREFIXES[name]}.${value}`;
    return Object.hasOwn(CATALOGUES[language], key) ? translate(language, key as MessageKey) : String(value);
  });
}
