import { createClient, type EvenkeelClient } from '@evenkeel/sdk/client';
import type { Command } from 'commander';
import { loadClientSettings } from '../platform/client-settings.js';
import { CommandError, EXIT } from './output.js';
import { readQuickstart } from './quickstart/quickstart-file.js';

/** A person waits at the terminal: the SDK's half minute would look like a hang. */
const RETRY_MS = 4_000;

export interface ConnectionOptions {
  url?: string;
  accessKey?: string;
  secretKey?: string;
}

/** Adds the options that say which centre a partner command talks to, and as whom. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', 'the centre; else EVENKEEL_URL, else DATA_DIR/quickstart.json')
    .option('--access-key <key>', 'ak_…; else EVENKEEL_ACCESS_KEY, else DATA_DIR/quickstart.json')
    .option('--secret-key <secret>', 'visible to others on this machine: prefer EVENKEEL_SECRET_KEY');
}

/** A client from the options, the environment or the quick start's file, in this order. */
export function connect(options: ConnectionOptions): EvenkeelClient {
  const settings = loadClientSettings();
  const quickstart = readQuickstart(settings.dataDir);
  const url = options.url ?? settings.url ?? quickstart?.url;
  const accessKey = options.accessKey ?? settings.accessKey ?? quickstart?.app.accessKey;
  const secretKey = options.secretKey ?? settings.secretKey ?? quickstart?.app.secretKey;
  if (!url || !accessKey || !secretKey)
    throw new CommandError(
      'no centre and key to use',
      EXIT.usage,
      'set EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY, or run `npm run quickstart` here first',
    );
  try {
    return createClient({ url, accessKey, secretKey, retryForMs: RETRY_MS });
  } catch (error) {
    throw new CommandError((error as Error).message, EXIT.usage);
  }
}
