import { LOG_LEVELS, type LogLevel } from '../contract/index.js';
import { textOf } from './plain-text.js';

export type { LogLevel } from '../contract/index.js';
export type LogFields = Record<string, unknown>;

/** The message is constant, the data are fields. Replace it with any logger of this shape. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** JSON lines to stderr. */
export function jsonLogger(
  level: LogLevel = 'info',
  write: (line: string) => void = (line) => process.stderr.write(line),
): Logger {
  const lowest = LOG_LEVELS.indexOf(level);
  const at = (each: LogLevel) =>
    LOG_LEVELS.indexOf(each) < lowest
      ? () => undefined
      : (message: string, fields: LogFields = {}) => {
          write(`${safeJson({ time: new Date().toISOString(), level: each, message, ...fields })}\n`);
        };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** JSON of anything a handler may log. Never throws; what cannot be written is named instead. */
export function safeJson(value: unknown): string {
  const above: unknown[] = [];
  try {
    return (
      JSON.stringify(value, function (this: unknown, _key: string, each: unknown) {
        if (each instanceof Error) return { name: each.name, message: each.message, stack: each.stack };
        if (typeof each === 'bigint') return each.toString();
        if (typeof each !== 'object' || each === null) return each;
        while (above.length > 0 && above.at(-1) !== this) above.pop();
        if (above.includes(each)) return '[circular]';
        above.push(each);
        return each;
      }) ?? 'null'
    );
  } catch (error) {
    return JSON.stringify({ unwritable: textOf(() => (error instanceof Error ? error.message : error)) });
  }
}
