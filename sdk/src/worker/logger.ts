export type LogFields = Record<string, unknown>;

/** The message is constant, the data are fields. Replace it with any logger of this shape. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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
          write(`${JSON.stringify({ time: new Date().toISOString(), level: each, message, ...fields }, plainly)}\n`);
        };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function plainly(_key: string, value: unknown): unknown {
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  return typeof value === 'bigint' ? value.toString() : value;
}
