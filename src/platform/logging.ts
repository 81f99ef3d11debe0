import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type Logger as PinoLogger, pino, stdSerializers } from 'pino';
import type { Config } from './config.js';

const HIDDEN = '[hidden]';
const SECRET_NAME =
  /secret|password|^sk$|whsec|^authorization$|^x-ek-signature$|^webhook-signature$|^cookie$|^set-cookie$|^keks$/i;
/** Keys that give themselves away by their prefix, and passwords inside URLs. */
const SECRET_TEXT = /\b(?:sk_(?:live|test)|wsk|whsec)_[A-Za-z0-9_+/=-]{16,}|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g;
const MAX_DEPTH = 6;

/** A copy in which no secret is left. Errors keep name, message, code and stack; a query's parameters are never logged. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(SECRET_TEXT, HIDDEN);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (types.isNativeError(value)) return withoutSecrets(errorFields(value), depth + 1);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (ArrayBuffer.isView(value)) return '[bytes]';
  if (value instanceof Date || value instanceof URL)
    return withoutSecrets(String(value instanceof Date ? value.toISOString() : value), depth);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SECRET_NAME.test(name) ? HIDDEN : withoutSecrets(member, depth + 1)]),
  );
}

function errorFields(error: Error): Record<string, unknown> {
  const { type, message, stack } = stdSerializers.err(error);
  const { code, query } = error as { code?: unknown; query?: unknown };
  return { type, message, stack, ...(code === undefined ? {} : { code }), ...(typeof query === 'string' ? { query } : {}) };
}

/** JSON lines on standard output. The message is constant, the data are fields. */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'nodeId'>,
  destination?: { write(line: string): void },
): PinoLogger {
  return pino(
    {
      level: config.logLevel,
      base: { node: config.nodeId },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: (error: unknown) => error },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withoutSecrets(fields) as Record<string, unknown>,
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

/** What Nest tells of its own start is for debugging. */
const FRAMEWORK: ReadonlySet<string> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * Lets `new Logger('Planner').warn('job failed', { jobId, err })` of Nest write our lines: objects after the message are fields,
 * the last text is the context Nest adds, and an error's stack given as text is kept.
 */
export class NestLogging implements LoggerService {
  constructor(private readonly pinoLogger: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(stated: Level, message: unknown, rest: unknown[]): void {
    const texts = rest.filter((item) => typeof item === 'string');
    const level = stated === 'info' && FRAMEWORK.has(texts.at(-1) ?? '') ? 'debug' : stated;
    if (!this.pinoLogger.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    if (texts.length > 0) fields.context = texts.at(-1);
    if (texts.length > 1) fields.stack = texts[0];
    for (const item of [message, ...rest]) {
      if (types.isNativeError(item)) fields.err = item;
      else if (typeof item === 'object' && item !== null) Object.assign(fields, item);
    }
    const text = typeof message === 'string' ? message : message instanceof Error ? message.message : 'event';
    this.pinoLogger[level](fields, withoutSecrets(text) as string);
  }
}
