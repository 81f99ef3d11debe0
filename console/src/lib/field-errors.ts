import { ApiError } from '../api/client';
import { CATALOGUES, type MessageKey } from '../i18n/areas';
import { PROBLEM_REASONS_ZH } from '../i18n/problem-reasons';
import { marksShown } from './direction-marks';
import { faultText, namedFault } from './field-words';
import type { Language } from './preferences';
import { filled } from './said-words';
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

/** The kind of a problem. An answer that is not the server's own has a status and no code. */
export function problemTitle({ code, status }: ApiError, language: Language): string {
  const key = `problem.${code}`;
  if (Object.hasOwn(CATALOGUES[language], key)) return translate(language, key as MessageKey);
  return status === 0 ? code : translate(language, 'problem.http', { status });
}

/** Why, where the kind does not say all of it: the words of the reason, or in English what the server says. */
export function problemDetail(error: ApiError, language: Language): string | null {
  const detail = detailOf(error, language);
  return detail === null ? null : marksShown(detail);
}

function detailOf({ code, detail, errors, members }: ApiError, language: Language): string | null {
  if (errors.length > 0 || detail === '' || code.startsWith('http_')) return null;
  if (code === 'not_found' || code === 'task_not_found') return null;
  if (language === 'en') return detail;
  const sentence = PROBLEM_REASONS_ZH[String(members.reason)];
  return sentence === undefined ? null : filled(sentence, { ...members, ...(members.params as object | undefined) }, language);
}

/** Why something failed, in a line: the kind of the problem, then the fields that were refused, or what the server says. */
export function failureText(error: unknown, language: Language): string {
  if (!(error instanceof ApiError)) return String(error);
  const kind = problemTitle(error, language);
  const faults = error.errors.map((fault) => namedFault(fault, language));
  const why = faults.length > 0 ? faults.join(language === 'en' ? '; ' : '；') : problemDetail(error, language);
  return [kind, why].filter(Boolean).join(language === 'en' ? ': ' : '：');
}
