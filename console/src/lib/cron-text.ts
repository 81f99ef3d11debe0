import { cronParts } from './cron-parts';
import { timeOf } from './cron-time';
import { ENGLISH } from './cron-words-en';
import { CHINESE } from './cron-words-zh';

/** An expression as a sentence that says exactly when it fires; as it is where it cannot be read. */
export function cronText(expression: string, language: 'zh-CN' | 'en'): string {
  const parts = cronParts(expression);
  if (parts === null) return expression;
  return (language === 'zh-CN' ? CHINESE : ENGLISH).sentence(parts, timeOf(parts));
}
