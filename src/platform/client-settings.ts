import { processEnvironment, variableReader } from './config.js';

/** Where the commands find a centre and the keys to speak to it with. */
export interface ClientSettings {
  dataDir: string;
  url: string | undefined;
  accessKey: string | undefined;
  secretKey: string | undefined;
  workerKey: string | undefined;
  workerSecret: string | undefined;
}

/** Throws ConfigError for a wrong value. */
export function loadClientSettings(env?: Readonly<Record<string, string | undefined>>): ClientSettings {
  const read = variableReader(env);
  return {
    dataDir: read('DATA_DIR') as string,
    url: read('EVENKEEL_URL'),
    accessKey: read('EVENKEEL_ACCESS_KEY'),
    secretKey: read('EVENKEEL_SECRET_KEY'),
    workerKey: read('EVENKEEL_WORKER_KEY'),
    workerSecret: read('EVENKEEL_WORKER_SECRET'),
  };
}

/** Secrets a process that only talks to the centre has no use for. */
const CENTRE_ONLY = ['EVENKEEL_ADMIN_PASSWORD', 'EK_KEKS'];

/**
 * The environment of a process started from here: this one's, with these settings instead of its own, so that no secret stands on a
 * command line. Without `workerKey` it is a centre and keeps its secrets.
 */
export function childEnvironment(
  settings: Partial<Pick<ClientSettings, 'url' | 'workerKey' | 'workerSecret'>>,
  env = processEnvironment(),
): NodeJS.ProcessEnv {
  const child = {
    ...env,
    EVENKEEL_URL: settings.url,
    EVENKEEL_WORKER_KEY: settings.workerKey,
    EVENKEEL_WORKER_SECRET: settings.workerSecret,
  };
  return settings.workerKey ? Object.fromEntries(Object.entries(child).filter(([name]) => !CENTRE_ONLY.includes(name))) : child;
}
