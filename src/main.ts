import 'reflect-metadata';
import { Logger, ShutdownSignal } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { AccessKeysService } from './auth/access-keys.service.js';
import { UsersService } from './auth/users.service.js';
import { GroupsService } from './jobs/groups.service.js';
import { type Config, ConfigError } from './platform/config.js';
import { createHttpApp } from './platform/http/create-http-app.js';
import { createLogger, NestLogging } from './platform/logging.js';

const DEFAULT_GROUP = 'default';
/** Below the ten seconds after which containers are killed. The partitions and the answers have their own, shorter limits in it. */
const STOPPED_WITHIN_MS = 9_000;

/**
 * Starts a node and resolves when it listens. On SIGTERM and SIGINT it hands its partitions over and stops cleanly, or else ends after
 * nine seconds with exit code 1: whatever it has not written by then is found by the others, as after a kill.
 */
export async function startNode(config: Config): Promise<{ app: NestFastifyApplication; url: string }> {
  const logger = new NestLogging(createLogger(config));
  const app = await createHttpApp(AppModule.forRoot(config), {
    trustProxy: config.trustedProxies,
    publicPrefix: config.openapiPublicPrefix,
    // What the start waits for must be told while it waits.
    nest: { abortOnError: false, logger, bufferLogs: false },
  });
  for (const signal of Object.values(ShutdownSignal)) process.once(signal, endInTime);
  app.enableShutdownHooks(undefined, { useProcessExit: true });
  for (const owner of await app.get(AccessKeysService).checkStoredSecrets())
    new Logger('Evenkeel').error({ msg: 'stored secrets do not open with EK_KEKS: what they sign is not sent', owner });
  await listen(app, config);
  await prepareFirstStart(app, config);
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  new Logger('Evenkeel').log('listening', { url, mode: config.mode, node: config.nodeId });
  return { app, url };
}

/** Before anything is made that is shown only once: a node that cannot listen leaves nothing behind. */
async function listen(app: NestFastifyApplication, { port, host }: Config): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ConfigError('PORT', `${port} of ${host} is in use by another program`);
    throw new ConfigError(code === 'EACCES' ? 'PORT' : 'HOST', `cannot be listened on: ${message}`);
  }
}

/** An empty installation gets the group `default` and an `admin`, whose random password is shown this once. */
async function prepareFirstStart(app: NestFastifyApplication, config: Config): Promise<void> {
  await app.get(GroupsService).ensure(DEFAULT_GROUP);
  const admin = await app.get(UsersService).ensureAdmin(config.adminPassword);
  if (admin && !config.adminPassword)
    process.stderr.write(`Created user ${admin.username} with password ${admin.password} (shown this once).\n`);
}

function endInTime(signal: NodeJS.Signals): void {
  setTimeout(() => {
    new Logger('Evenkeel').error({ msg: 'stop not finished in time', signal, limitMs: STOPPED_WITHIN_MS });
    process.exit(1);
  }, STOPPED_WITHIN_MS).unref();
}
