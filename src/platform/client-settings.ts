/** Where the commands find a centre and the keys to speak to it with. Read from the environment only here. */
export interface ClientSettings {
  dataDir: string;
  url: string | undefined;
  accessKey: string | undefined;
  secretKey: string | undefined;
  workerKey: string | undefined;
  workerSecret: string | undefined;
}

/** Empty variables count as unset. */
export function loadClientSettings(env: Readonly<Record<string, string | undefined>> = process.env): ClientSettings {
  return {
    dataDir: env.DATA_DIR || './data',
    url: env.EVENKEEL_URL || undefined,
    accessKey: env.EVENKEEL_ACCESS_KEY || undefined,
    secretKey: env.EVENKEEL_SECRET_KEY || undefined,
    workerKey: env.EVENKEEL_WORKER_KEY || undefined,
    workerSecret: env.EVENKEEL_WORKER_SECRET || undefined,
  };
}
