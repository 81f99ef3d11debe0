import { CATALOGUES, type MessageKey } from '../i18n/areas';
import type { Language } from './preferences';

export type Values = Record<string, string | number>;

/** The text with `{name}` replaced. A message with two forms chooses by `n`. */
export function translate(language: Language, key: MessageKey, values: Values = {}): string {
  const message = CATALOGUES[language][key];
  const form = typeof message === 'string' ? message : Number(values.n) === 1 ? message.one : message.other;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
