import { ApiError } from '../api/client';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { faultText, namedFault } from './field-words';
import type { Language } from './preferences';
import { translate } from './translate';

/** What the server said of single fields, as a form takes it: `/retry/delayMs` becomes `['retry', 'delayMs']`. */
export function fieldErrors(error: unknown, language: Language): { name: string[]; errors: string[] }[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .filter(({ pointer }) => pointer.startsWith('/') && !pointer.startsWith('/query/'))
    .map((fault) => ({
      name: fault.pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
      errors: [faultText(fault, language)],
    }));
}

/** What the server says of a problem in its own words, which are English: null where ours say all of it. */
export const serverText = ({ code, detail, errors }: ApiError): string | null =>
  errors.length > 0 || detail === '' || code === 'not_found' || code === 'task_not_found' ? null : detail;

/** Why something failed, in a line: the kind of the problem, then the fields that were refused, or what the server says. */
export function failureText(error: unknown, language: Language): string {
  if (!(error instanceof ApiError)) return String(error);
  const key = `problem.${error.code}`;
  const kind = Object.hasOwn(CATALOGUES[language], key) ? translate(language, key as MessageKey) : error.code;
  const faults = error.errors.map((fault) => namedFault(fault, language));
  const why = faults.length > 0 ? faults.join(language === 'en' ? '; ' : '；') : serverText(error);
  return [kind, why].filter(Boolean).join(language === 'en' ? ': ' : '：');
}
