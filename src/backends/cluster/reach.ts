import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

const GIVE_UP_AFTER_MS = 60_000;
const PAUSE_MS = 1000;
/** Access denied, no such database: waiting does not help. */
const HOPELESS = new Set(['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);

/** A service could not be reached in time. Names it and its address, never a password. */
export class UnreachableError extends Error {
  constructor(
    readonly service: string,
    readonly address: string,
    override readonly cause: unknown,
  ) {
    super(`${service} at ${address} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`);
    this.name = 'UnreachableError';
  }
}

/** Tries once a second for a minute, or for so many milliseconds, and says so; then throws UnreachableError. */
export async function untilReachable<T>(
  service: string,
  url: URL,
  connect: () => Promise<T>,
  giveUpAfterMs = GIVE_UP_AFTER_MS,
): Promise<T> {
  const logger = new Logger('Backends');
  const address = `${url.host}${url.pathname}`;
  const startedAt = performance.now();
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (HOPELESS.has(code) || isRefusedByRedis(error) || performance.now() - startedAt > giveUpAfterMs)
        throw new UnreachableError(service, address, error);
      logger.warn('waiting for a service', { service, address, err: error });
      await pause(PAUSE_MS);
    }
  }
}

/** Redis is there, and does not let this process in. */
export const isRefusedByRedis = (error: unknown): boolean =>
  error instanceof Error && /^(NOAUTH|WRONGPASS|NOPERM)/.test(error.message);
