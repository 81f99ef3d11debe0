import { useCallback } from 'react';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { usePreferences } from './preferences';
import { translate, type Values } from './translate';

export type { MessageKey };
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
