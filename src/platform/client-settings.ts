import { variableReader } from './config.js';

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
