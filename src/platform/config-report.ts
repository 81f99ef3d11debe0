import { processEnvironment } from './config.js';
import { VARIABLES } from './config-variables.js';

export interface StatedSetting {
  name: string;
  /** In force; null if unset, or secret. */
  value: string | null;
  secret: boolean;
  /** It stands in the environment; else the default is in force. */
  stated: boolean;
  description: string;
}
/** Hold credentials in their text although people may know the rest. */
const CLIENT_ONLY = /^(EVENKEEL_(URL|ACCESS_KEY|SECRET_KEY|WORKER_KEY|WORKER_SECRET)|TEST_)/;

/** The settings of this process, for people; the value of a secret is never in it. */
export function settingsReport(env: Readonly<Record<string, string | undefined>> = processEnvironment()): StatedSetting[] {
  const table = VARIABLES as Record<string, { description: string; fallback?: string; secret?: true }>;
  return Object.entries(table)
    .filter(([name]) => !CLIENT_ONLY.test(name))
    .map(([name, { description, fallback, secret }]) => {
      const stated = env[name] !== undefined && env[name] !== '';
      const value = secret ? null : ((env[name] || fallback) ?? null);
      return { name, value, secret: secret === true, stated, description };
    });
}
