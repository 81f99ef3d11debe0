import { CATALOGUES, type MessageKey } from '../../i18n/areas';
import type { Language } from '../../lib/preferences';
import { translate } from '../../lib/translate';

/** Names of headers, scopes and limits: the same in every language. */
const NAMES = /X-EK-[A-Za-z-]+|"[^"]+"|\b[a-z]+:(?:read|write)\b/g;

/** What was wrong with a request of a partner: in English as it was told the partner, else in words of its code with the names it tells. */
export function rejectionText({ code, detail }: { code: string; detail: string }, language: Language): string {
  const key = `rejectionDetail.${code}`;
  if (language === 'en' || !Object.hasOwn(CATALOGUES[language], key)) return language === 'en' ? detail : '';
  const names = [...new Set(detail.match(NAMES) ?? [])].map((name) => name.replaceAll('"', ''));
  return [translate(language, key as MessageKey), names.join('、')].filter(Boolean).join('：');
}
