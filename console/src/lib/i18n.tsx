import { useCallback } from 'react';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { type Language, usePreferences } from './preferences';

export type { MessageKey };
export type Values = Record<string, string | number>;

/** The text with `{name}` replaced. A message with two forms chooses by `n`. */
export function translate(language: Language, key: MessageKey, values: Values = {}): string {
  const message = CATALOGUES[language][key];
  const form = typeof message === 'string' ? message : Number(values.n) === 1 ? message.one : message.other;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

export type Translate = (key: MessageKey, values?: Values) => string;

export function useT(): Translate {
  const { language } = usePreferences();
  return useCallback((key, values) => translate(language, key, values), [language]);
}

/** For codes of a closed list that the server may extend before the console does: shows the code itself then. */
export function useCodeText(): (prefix: string, code: string) => string {
  const { language } = usePreferences();
  return useCallback(
    (prefix, code) => {
      const key = `${prefix}.${code}`;
      return key in CATALOGUES[language] ? translate(language, key as MessageKey) : code;
    },
    [language],
  );
}
